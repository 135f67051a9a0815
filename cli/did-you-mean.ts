import { closest, distance } from 'fastest-levenshtein'

/** More letters than this, or than half of a word, are no slip of the fingers. */
const MOST_SLIPS = 3

/** `: did you mean X?`, to end a sentence about an unknown word with; nothing if none of the known words is near it. */
export function didYouMean(word: string, known: readonly string[]): string {
  if (known.length === 0) return ''
  const nearest = closest(word, known)
  const isNear = distance(word, nearest) <= Math.min(MOST_SLIPS, Math.ceil(word.length / 2))
  return isNear ? `: did you mean ${nearest}?` : ''
}
