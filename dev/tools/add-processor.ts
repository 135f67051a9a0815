// Begins a new processor: npm run add-processor acme. Creates its adapter folder, its emulator, its driver of the conformance suite and its
// page from the stubs in dev/tools/add-processor/, and adds it to every list of processors. The result compiles. The tests that then fail
// are the list of what to write: docs/recipes.md, "Add a processor".
import { execFileSync } from 'node:child_process'
import { existsSync, globSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { PROCESSOR_NAMES } from '../../lib/processors/processor-name.ts'
import { EMULATORS } from '../emulators/emulators.ts'

const ROOT = join(import.meta.dirname, '../..')
const STUBS = join(import.meta.dirname, 'add-processor')

const [name = ''] = process.argv.slice(2)
const known: readonly string[] = PROCESSOR_NAMES
if (!/^[a-z]{2,30}$/.test(name) || known.includes(name)) {
  console.error(`usage: npm run add-processor NAME\nNAME: 2 to 30 lower-case letters, none of ${known.join(', ')}`)
  process.exit(1)
}
const title = `${name[0]?.toUpperCase()}${name.slice(1)}`

/** The stubs name their processor `acme`, `Acme` and `ACME`. */
const rename = (text: string) =>
  text.replaceAll('acme', name).replaceAll('Acme', title).replaceAll('ACME', name.toUpperCase())

const files = [...newFiles(), ...extendedLists()]
for (const { path, text } of files) {
  mkdirSync(dirname(join(ROOT, path)), { recursive: true })
  writeFileSync(join(ROOT, path), text)
}
const written = files.map(({ path }) => path)
const formatted = written.filter((path) => path.endsWith('.ts'))
execFileSync('biome', ['check', '--write', ...formatted], { cwd: ROOT, stdio: ['ignore', 'ignore', 'inherit'] })
console.log(`written:\n${written.map((file) => `  ${file}\n`).join('')}
next:
  npm run generate
  npx vitest run test/conventions test/processors/setup.test.ts test/conformance
What fails is what to write: docs/recipes.md, "Add a processor".`)

interface SourceFile {
  path: string
  text: string
}

function newFiles(): SourceFile[] {
  return globSync('**/*.txt', { cwd: STUBS }).map((stub) => {
    const path = rename(stub.replace(/\.txt$/, ''))
    if (existsSync(join(ROOT, path))) throw new Error(`${path} exists`)
    return { path, text: rename(readFileSync(join(STUBS, stub), 'utf8')) }
  })
}

function extendedLists(): SourceFile[] {
  const port = Math.max(...Object.values(EMULATORS).map((emulator) => emulator.port)) + 1
  return [
    extend('lib/processors/processor-name.ts', [/(PROCESSOR_NAMES = \[.*)(\] as const)/, ", 'acme'"]),
    extend(
      'lib/processors/definitions.ts',
      [/()(import type)/, "import { ACME } from './acme/definition.ts'\n"],
      [/()(\n\} satisfies)/, '\n  acme: ACME,'],
    ),
    extend(
      'lib/processors/adapters.ts',
      [/()(import type)/, "import { ACME } from './acme/definition.ts'\n"],
      [
        /()(\n\}\n$)/,
        `
  acme: async (credentials, options) =>
    (await import('./acme/adapter.ts')).acmeAdapter(parseCredentials(ACME, credentials), options),`,
      ],
    ),
    extend(
      'dev/emulators/emulators.ts',
      [
        /()(import \* as)/,
        `import * as acme from './acme/accounts.ts'
import { startAcmeEmulator } from './acme/emulator.ts'
`,
      ],
      [
        /()(\n\} satisfies)/,
        `
  acme: {
    port: ${port},
    ...emulated(startAcmeEmulator, acme.listAccounts, byInvoice),
    demoCredentials: acme.demoCredentials,
    demoPrice: (name: string) => name,
  },`,
      ],
    ),
    extend(
      'test/conformance/drivers/drivers.ts',
      [/()(import type)/, "import { ACME } from './acme.ts'\n"],
      [/(const DRIVERS[\s\S]*?)(\n\}\n)/, '\n  acme: ACME,'],
    ),
    extend('test/conformance/drivers/plans.ts', [/(const UNNAMED[\s\S]*?)(\n\}\n)/, "\n  acme: ['team', 'firm'],"]),
    extend('test/processors/rest.test.ts', [/(const ERRORS[\s\S]*?)(\n\}\n)/, '\n  acme: {},']),
    extend('test/scenarios/rebuy.test.ts', [/(const FAILURES.*?)( \}\n)/, ', acme: 0']),
    extend('test/scenarios/switch-plan.test.ts', [
      /(const EXPECTED[\s\S]*?)(\n\}\n)/,
      '\n  acme: { charged: [], reported: [] },',
    ]),
    extend('test/scenarios/chargeback.test.ts', [/(const OTHER_EVENTS[\s\S]*?)(\n\}\n)/, '\n  acme: [[], []],']),
  ]
}

/** Inserts text between the two groups of a pattern's first match. */
function extend(path: string, ...insertions: [RegExp, string][]): SourceFile {
  let text = readFileSync(join(ROOT, path), 'utf8')
  for (const [place, addition] of insertions) {
    const found = place.exec(text)
    if (!found) throw new Error(`${path} has nothing like ${place}`)
    const at = found.index + (found[1] ?? '').length
    text = text.slice(0, at) + rename(addition) + text.slice(at)
  }
  return { path, text }
}
