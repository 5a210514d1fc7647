/** The writer of a byte: at the end of the trace, a person chooses a byte and goes to the record that wrote it. */
import { at, end, go, idle, pane, says, type Scene } from './scene.ts';

export async function lastWriter(scene: Scene): Promise<void> {
  const { page, facts } = scene;
  const { address, ...write } = facts.write;
  await page.keyboard.press('Control+End');
  await at(page, facts.last);
  await page.keyboard.press('Control+6');
  const memory = pane(page, 'Memory');
  await memory.waitFor();
  await idle(page);
  await memory.getByLabel('Address or symbol to show').fill(`0x${address.toString(16)}`);
  await page.keyboard.press('Enter');
  await memory.locator(`.word [data-address="${String(address)}"]`).click();
  await page.keyboard.press('Shift+W');
  if ('none' in write) {
    await says(page, write.none);
    await at(page, facts.last);
  } else {
    await says(page, `0x${address.toString(16)} last written`);
    if (write.change !== undefined) await says(page, write.change);
    await at(page, write.record);
    await page.locator(`[data-record="${String(write.record)}"][aria-selected=true]`).waitFor();
  }
  await end(scene, 'last-writer', 'section[aria-label=Memory], footer');
  await go(page, '0');
  await at(page, 0);
}
