import type { Law } from './case.ts'

/**
 * An Idempotency-Key opens one page, which is paid once. An attempt whose answer is lost may have opened a page, and once the
 * processor refuses a repeat, the next attempt opens another. Nobody is given the address of the first one, so a refusal may leave
 * a page behind, which cannot be paid. Where a repeat is not recognised, any attempt may.
 */
export const PAGES: Law = {
  name: 'pages',
  faults({ company: { people, capabilities }, truth: { opened, paid }, known: { refusedCheckouts } }) {
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
