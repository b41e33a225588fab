/** The program's own number, without what it was built from: what stands on a screen where no medium says better. */
export const plainVersion = (version: string): string => version.split('+')[0] ?? version;
