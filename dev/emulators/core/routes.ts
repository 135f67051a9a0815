/** A route of an API; `:id` in its path stands for one part. */
export interface Route<Given, Result> {
  method: string
  path: string
  /** `ids` are the parts of the path that stand for `:id`, in order; those that the path does not have are empty. */
  run(given: Given, ids: [string, string]): Result
}

/** Runs the first route that a call's method and path match; undefined if none does. */
export function runRoute<Given, Result>(
  routes: Route<Given, Result>[],
  { method, path }: { method: string; path: string },
  given: Given,
): Result | undefined {
  for (const route of routes) {
    const ids = route.method === method ? matchPath(route.path, path) : null
    if (ids) return route.run(given, [ids[0] ?? '', ids[1] ?? ''])
  }
  return undefined
}

/** The parts of a path that stand where the pattern has `:id`, in order; null if the path does not match. */
function matchPath(pattern: string, path: string): string[] | null {
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
