/** Files named on the command line: one that cannot be read is a wrong call (2), one that holds the wrong thing is refused (1). */
import { expect, it } from 'vitest';
import { loadMachine, readAnswerFile } from '#installer/run/load.ts';

const HERE = import.meta.filename;

it.each([
  ['a missing answer file', () => readAnswerFile('/nonexistent/a.yaml'), 2],
  ['a missing capture', () => loadMachine('/nonexistent/m.json'), 2],
  ['a capture that is none', () => loadMachine(HERE), 1],
])('%s', async (_, load, exitCode) => {
  await expect(load()).rejects.toMatchObject({ exitCode });
});
