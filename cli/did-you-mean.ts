import { closest, distance } from 'fastest-levenshtein'

/** The largest edit distance of a typo: 1 in a short word, 2 in `prot`, at most 3. */
const maxTypos = (word: string) => Math.min(3, 1 + Math.floor(word.length / 4))

/**
 * Returns `: did you mean X?` to append to a message about an unknown word, or an empty string if no known word is close. `prefix` is
 * put before X.
 */
export function didYouMean(word: string, known: readonly string[], prefix = ''): string {
  if (known.length === 0) return ''
  const nearest = closest(word, known)
  return distance(word, nearest) <= maxTypos(word) ? `: did you mean ${prefix}${nearest}?` : ''
}
