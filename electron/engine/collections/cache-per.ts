/**
 * Returns a function that gives each owner (such as an open trace) its own cache, created when first needed. The owner holds no
 * reference to it, so its type need not name its users.
 */
export function cachePer<Cache>(create: () => Cache): (owner: object) => Cache {
  const caches = new WeakMap<object, Cache>();
  return (owner) => {
    let cache = caches.get(owner);
    if (cache === undefined) caches.set(owner, (cache = create()));
    return cache;
  };
}
