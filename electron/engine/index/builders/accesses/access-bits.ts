/** What an access to memory is, in a byte: its size less one, and from TOUCH_SHIFT on whether it writes and has a value, as TOUCH has them. */
import { TOUCH } from '../memory/page-touches.ts';

export const TOUCH_SHIFT = 6;
export const ACCESS_LESS = 63;
export const ACCESS_WRITE: number = TOUCH.write << TOUCH_SHIFT;
export const ACCESS_VALUE: number = TOUCH.value << TOUCH_SHIFT;
