/** What stands in place of each `:id` of a pattern, in their order; null if the path is another. */
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
