import { expect, test } from 'vitest';
import { menuEntries, renderGrubMenu } from '#boot/grub-menu.ts';
import { printPlan } from '#installer/plan/print-plan.ts';
import { planFor } from './samples.ts';

const kindsOf = (plan: ReturnType<typeof planFor>): string[] => plan.steps.map((s) => s.action.kind);

test('a locked image is laid down without an account, a rescue shell or a menu that could be edited', () => {
  const open = planFor();
  const locked = planFor({ isLocked: true });
  expect(kindsOf(open).filter((k) => !kindsOf(locked).includes(k))).toEqual(['lock-root', 'create-account']);
  expect(JSON.stringify(open.steps)).toContain('SYSTEMD_SULOGIN_FORCE');
  expect(JSON.stringify(locked.steps)).not.toContain('SYSTEMD_SULOGIN_FORCE');
  expect(locked.steps.flatMap((s) => (s.action.kind === 'boot-menu' ? [s.action.isLocked] : []))).toEqual([true]);
  const text = printPlan(locked);
  expect(text).toMatch(/Account +none: the image is locked/);
  expect(text).not.toMatch(/rescue/i);
});

test('its boot menu: no editor, entries that start all the same, no shell from the initrd, the boot log shown', () => {
  const slot = { uuid: '11111111-1111-4111-8111-111111111111', version: '1.0' };
  const menu = renderGrubMenu({ product: 'P', slotA: slot, slotB: slot, extraKernelWords: [], offersRescue: false, isLocked: true });
  expect(menu.startsWith('set superusers=""\nexport superusers\n')).toBe(true);
  expect(menuEntries(menu).map((e) => e.id)).toEqual(['slot_a', 'slot_b', 'slot_a_verbose', 'slot_b_verbose']);
  expect(menu.match(/^menuentry .*$/gm)?.every((l) => l.endsWith(' --unrestricted {'))).toBe(true);
  for (const line of menu.match(/^ {2}linux .*$/gm) ?? []) {
    for (const word of ['panic=30', 'systemd.import_credentials=no', 'systemd.getty_auto=0', 'systemd.show_status=true'])
      expect(line.split(' ')).toContain(word);
    expect(line).not.toContain('$mode_words');
  }
});
