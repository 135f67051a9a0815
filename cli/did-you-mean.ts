import { closest, distance } from 'fastest-levenshtein'

/** How many letters a slip of the fingers may change: one in a short word, two in `prot`, at most three. */
const slipsIn = (word: string) => Math.min(3, 1 + Math.floor(word.length / 4))

/**
 * `: did you mean X?`, to end a sentence about an unknown word with; nothing if none of the known words is near it. `prefix` is
 * written before X.
 */
export function didYouMean(word: string, known: readonly string[], prefix = ''): string {
  if (known.length === 0) return ''
  const nearest = closest(word, known)
  return distance(word, nearest) <= slipsIn(word) ? `: did you mean ${prefix}${nearest}?` : ''
}
