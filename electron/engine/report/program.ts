/** Version of the program that makes reports. */
import program from '../../../package.json' with { type: 'json' };

export const PROGRAM: string = program.version;
