/** The two system slots. */
import { readSlots } from '#boot/slots.ts';
import { type Collector, notApplicable, ok } from '#status/collector.ts';
import type { HostView } from '#system/observe.ts';

export function slotsCollector(host: HostView): Collector<'slots'> {
  return {
    name: 'slots',
    periodMs: 5000,
    timeLimitMs: 3000,
    ttlMs: 10_000,
    source: '/proc/self/mountinfo, grubenv',
    async collect() {
      const slots = await readSlots(host);
      return slots === null ? notApplicable : ok(slots);
    },
  };
}
