// The sequences of events in docs/events.md, from scenarios that run at an emulated processor. After a change of what arrives, write the file
// anew with `npx vitest run test/sequences -u`, and read the difference.
import { expect, test } from 'vitest'
import { EVENT_TYPES } from '../../lib/events/types.ts'
import { useShops } from '../conformance/shop.ts'
import { INTRODUCTION } from './introduction.ts'
import { SCENARIOS, type Step } from './scenarios.ts'

const getShop = useShops(1)

/** The sections of the file, by scenario. */
const sections = new Map<string, string>()

/** The order of the rows of a step, whose own order is not promised: that of the types, after `checkout.completed`. */
const ORDER = ['checkout.completed', ...EVENT_TYPES]

const inOrderOfTypes = (names: string[]) =>
  names.toSorted((one, other) => place(one) - place(other)).map((name) => name.replace(/^(\S+)(.*)$/, '`$1`$2'))

const place = (name: string) => ORDER.findIndex((type) => name.startsWith(type))

const toRow = ({ what, events }: Step) => `| ${what} | ${inOrderOfTypes(events).join('<br>') || 'nothing'} |`

test.each(SCENARIOS)('$title', async ({ title, play }) => {
  const rows: string[] = []
  for await (const step of play(getShop('stripe'))) rows.push(toRow(step))
  sections.set(title, [`## ${title}`, '', '| what happens | what arrives |', '| --- | --- |', ...rows].join('\n'))
})

test('docs/events.md has what arrived in each scenario', async () => {
  expect([...sections.keys()]).toEqual(SCENARIOS.map(({ title }) => title))
  await expect(`${[INTRODUCTION, ...sections.values()].join('\n\n')}\n`).toMatchFileSnapshot('../../docs/events.md')
})
