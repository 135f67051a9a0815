/** The parts of a path that stand where the pattern has `:id`, in order; null if the path does not match. */
export function matchPath(pattern: string, path: string): string[] | null {
  const [wanted, given] = [pattern.split('/'), path.split('/')]
  if (wanted.length !== given.length) return null
  const ids: string[] = []
  for (const [index, part] of wanted.entries()) {
    const found = given[index] ?? ''
    if (part === ':id') ids.push(found)
    else if (part !== found) return null
  }
  return ids
}
