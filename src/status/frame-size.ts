/** No frame is larger than a reader takes (1 MiB): a section that would make it so is left out, and says so. */
import type { Section, Sections } from '#model/status.ts';
import { MAX_FRAME_BYTES } from './pull.ts';

/** Left for everything of a frame that is not a section: the verdict above all. */
const REST_BYTES = 256 * 1024;

const sizeOf = (value: unknown): number => Buffer.byteLength(JSON.stringify(value));

/** The sections as they are, or with the largest ones emptied until they fit. */
export function fitSections(sections: Sections, maxBytes = MAX_FRAME_BYTES - REST_BYTES): Sections {
  let totalBytes = sizeOf(sections);
  if (totalBytes <= maxBytes) return sections;
  const fitted: Record<string, Section<unknown>> = { ...(sections as Record<string, Section<unknown>>) };
  const bySize = Object.entries(fitted)
    .map(([name, section]) => ({ name, section, bytes: sizeOf(section) }))
    .sort((a, b) => b.bytes - a.bytes);
  for (const { name, section, bytes } of bySize) {
    if (totalBytes <= maxBytes) break;
    const msg = `${Math.round(bytes / 1024)} KiB are more than fits into a frame`;
    const emptied = { ...section, state: 'unavailable' as const, error: { code: 'too_large', msg }, data: null };
    fitted[name] = emptied;
    totalBytes += sizeOf(emptied) - bytes;
  }
  return fitted as Sections;
}
