import type { Invariant } from './case.ts'

/**
 * An Idempotency-Key opens one page, which is paid once. A call whose response is lost may have opened a page. If the processor then
 * refuses the retry, the next attempt opens a second page; the first one stays, but nobody gets its URL, so it cannot be paid. At a
 * processor without idempotency keys every retry may open another page.
 */
export const PAGES: Invariant = {
  name: 'pages',
  faults({ company: { people, capabilities }, processorState: { opened, paid }, known: { refusedCheckouts } }) {
    const repeats = (ids: string[]) => ids.length - new Set(ids).size
    const several = people.flatMap(({ addresses }) => [...addresses.values()].filter((given) => given.size > 1))
    return [
      ...several.map((given) => `one Idempotency-Key gave several pages: ${[...given].join(', ')}`),
      ...(capabilities.idempotencyKeys && repeats(opened) > refusedCheckouts
        ? [`one checkout has several pages: ${opened.join(', ')}`]
        : []),
      ...(repeats(paid) > 0 ? [`one checkout was paid twice: ${paid.join(', ')}`] : []),
    ]
  },
}
