import pg from 'pg'
import { readRelease } from '../../cli/migrate/release.ts'

/** A database function that Workers call, from the catalog. */
interface Called {
  name: string
  parameters: { name: string; type: string; is_optional: boolean }[]
}

/** The TypeScript types of parameters. Times and ids are strings; integers must be safe integers. */
const TYPES: Record<string, string> = {
  text: 'string',
  uuid: 'string',
  'uuid[]': 'string[]',
  'timestamp with time zone': 'string',
  integer: 'number',
  bigint: 'number',
  'double precision': 'number',
  boolean: 'boolean',
  jsonb: 'object',
}

/** The path of `Database`, relative to generated/. */
const DATABASE = '../lib/db/connect.ts'

/** Generates `generated/calls.ts`: a TypeScript function for each database function that Workers call. */
export async function databaseCalls(url: string): Promise<string> {
  const { name: release, files } = readRelease()
  const called = await calledFunctions(url, release)
  const calls = called.map((each) => toCall(each, toPath(each.name, files)))
  return [
    `import type { Database } from '${DATABASE}'`,
    '',
    '/** The schema of the database functions that this code calls: see docs/architecture.md. */',
    `const RELEASE = '${release}'`,
    ...calls,
    '',
  ].join('\n')
}

async function calledFunctions(url: string, release: string): Promise<Called[]> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    const { rows } = await client.query<Called>(
      `select p.proname as name, (
         select coalesce(json_agg(json_build_object(
           'name', p.proargnames[i], 'type', format_type(p.proargtypes[i - 1], null),
           'is_optional', i > p.pronargs - p.pronargdefaults) order by i), '[]')
         from generate_series(1, p.pronargs) i) as parameters
       from pg_proc p where p.pronamespace = $1::regnamespace and p.prosecdef order by p.proname`,
      [release],
    )
    return rows
  } finally {
    await client.end()
  }
}

function toCall({ name, parameters }: Called, path: string): string {
  const fields = parameters.map((each) => `  ${camelCase(each.name)}${each.is_optional ? '?' : ''}: ${toType(each)}`)
  const places = parameters.map(({ type }, index) => `$${index + 1}::${type}`).join(', ')
  const values = parameters.map(({ name: each, type, is_optional }) =>
    toParameter(`p.${camelCase(each)}`, type, is_optional),
  )
  const signature = parameters.length === 0 ? '' : `, p: {\n${fields.join('\n')}\n}`
  return `
/** ${path} */
export function ${camelCase(name)}<Result>(db: Database${signature}): Promise<Result> {
  return db.call(
    \`select \${RELEASE}.${name}(${places}) as result\`,
    [${values.join(', ')}],
  )
}`
}

function toType({ name, type, is_optional }: Called['parameters'][number]): string {
  const known = TYPES[type]
  if (!known) throw new Error(`parameter ${name} has the type ${type}, which database-calls.ts does not map`)
  return is_optional ? `${known} | null | undefined` : known
}

function toParameter(expression: string, type: string, isOptional: boolean): string {
  if (type === 'jsonb') {
    // SQL null stands for the default; JSON.stringify would make it JSON's null.
    return isOptional ? `${expression} ? JSON.stringify(${expression}) : null` : `JSON.stringify(${expression})`
  }
  return isOptional ? `${expression} ?? null` : expression
}

const camelCase = (name: string) => name.replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase())

function toPath(name: string, files: { path: string; text: string }[]): string {
  const file = files.find(({ text }) => text.includes(`create function ${name}(`))
  if (!file) throw new Error(`no file has the function ${name}`)
  return file.path
}
