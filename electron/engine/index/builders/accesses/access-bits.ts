/** Encodes an access to memory in a byte: its size less one, and starting at TOUCH_SHIFT the flags of TOUCH (writes, has a value). */
import { TOUCH } from '../memory/page-touches.ts';

export const TOUCH_SHIFT = 6;
export const ACCESS_LESS = 63;
export const ACCESS_WRITE: number = TOUCH.write << TOUCH_SHIFT;
export const ACCESS_VALUE: number = TOUCH.value << TOUCH_SHIFT;
