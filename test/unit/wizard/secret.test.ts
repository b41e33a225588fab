import { describe, expect, it, vi } from 'vitest';
import { Secret } from '#model/secret.ts';
import { judge } from '#rules/judge.ts';
import { FIRST_NODE, SERVER } from './support.ts';

describe('a secret that another chunk made', () => {
  it('is known as one, and judged like any', async () => {
    vi.resetModules();
    const other = (await import('#model/secret.ts')).Secret;
    expect(other).not.toBe(Secret);
    const foreign = new other('correct horse battery');
    expect(foreign).toBeInstanceOf(Secret);
    expect({}).not.toBeInstanceOf(Secret);
    expect(judge({ ...FIRST_NODE, admin_password: foreign }, SERVER, 'install').filter((finding) => finding.severity === 'error')).toEqual(
      [],
    );
    expect(JSON.stringify(foreign)).toBe('"***"');
  });
});
