/** Caches that belong to another object, such as an open trace: they end with it, and it need not know them. */
export function cachePer<Owner extends object, Cache>(create: () => Cache): (owner: Owner) => Cache {
  const caches = new WeakMap<Owner, Cache>();
  return (owner) => {
    let cache = caches.get(owner);
    if (cache === undefined) caches.set(owner, (cache = create()));
    return cache;
  };
}
