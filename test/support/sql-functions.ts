import { readRelease } from '../../cli/migrate/release.ts'

/** A database function, as defined in its `.sql` file. */
export interface SqlFunction {
  name: string
  /** Its file. */
  path: string
  /** Whether Workers call it. Otherwise only other functions do. */
  isEntry: boolean
  /** Its parameters, and its `out` parameters, by name. */
  parameters: string[]
  /** The names of the functions that it calls. */
  calls: string[]
  /** The verdicts and refusals that it decides on itself. */
  decides: string[]
}

/** All database functions of the tree, by name. */
export function sqlFunctions(): Map<string, SqlFunction> {
  const written = readRelease().files.flatMap(({ path, text }) =>
    [...text.matchAll(/^create function (\w+)\(([\s\S]*?)\$\$([\s\S]*?)\$\$;$/gm)].map(
      ([, name = '', head = '', body = '']) => ({ path, name, head, body: body.replace(/--.*$/gm, '') }),
    ),
  )
  const names = written.map(({ name }) => name)
  return new Map(
    written.map(({ path, name, head, body }) => [
      name,
      {
        name,
        path,
        isEntry: head.includes('security definer'),
        parameters: [...head.matchAll(/(?:^|,)\s*(?:out )?(\w+) /g)].map(([, parameter = '']) => parameter),
        calls: names.filter((other) => other !== name && new RegExp(`\\b${other}\\(`).test(body)),
        decides: decisionsIn(body),
      },
    ]),
  )
}

/** A function and all functions that it calls, directly or indirectly. */
export function withCallees(start: SqlFunction, functions: Map<string, SqlFunction>): SqlFunction[] {
  const reached = new Set([start])
  for (const { calls } of reached) for (const name of calls) reached.add(functions.get(name)!)
  return [...reached]
}

/** Names in `verdict('…')`, and those that a `refusal :=` or `verdict(case …)` may evaluate to. */
function decisionsIn(body: string): string[] {
  const names = body.split(';').flatMap((statement) => {
    const chosen = /\brefusal :=|\bverdict\(\s*case\b/.test(statement)
    const patterns = chosen ? [/verdict\('(\w+)'/g, /(?:then|else|:=) '(\w+)'/g] : [/verdict\('(\w+)'/g]
    return patterns.flatMap((pattern) => [...statement.matchAll(pattern)].map(([, name = '']) => name))
  })
  return [...new Set(names)]
}
