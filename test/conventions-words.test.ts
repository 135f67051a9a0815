import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'

const root = join(import.meta.dirname, '..')
const text = (file: string) => readFileSync(join(root, file), 'utf8')
const GLOSSARY = 'docs/architecture.md'
const TABLE = /^### Words that we do not use$[\s\S]*/m

/** The left column of the table. */
const abandoned = [...(TABLE.exec(text(GLOSSARY))?.[0] ?? '').matchAll(/^\| (.+?) \| .+ \|$/gm)].map(
  ([, words]) => words!,
)

/** Our own code and prose. The schema from before releases is frozen, so it is left out. */
const files = execFileSync('git', ['ls-files'], { cwd: root, encoding: 'utf8' })
  .trim()
  .split('\n')
  .filter((file) => /\.(tsx?|css|mjs|sql|md|toml)$/.test(file) && !file.startsWith('generated/'))
  .filter((file) => file !== 'test/conventions-words.test.ts' && !file.endsWith('-before-releases.sql'))

interface Rule {
  /** What a regular expression can find of a row. Text that matches it with another meaning has to be rephrased, too. */
  breach: RegExp
  /** The files to check; default: all. */
  in?: RegExp
}

/** By the left column of the table. Other rows cannot be checked automatically, because the word also has an allowed meaning. */
const RULES: Record<string, Rule> = {
  standing: { breach: /(?<!out|under|with)standing/i },
  'answer, as the name of a type': { breach: /\b(interface|type|enum) \w*Answer/ },
  'release or free, of a claim': { breach: /\b(releas|fre)(e|es|ed|ing)[_ ]?((the|a|an|its|their) )?claim/i },
  'plan, of tokens': { breach: /\bplan('s|_)? ?tokens|\btokens?[_ ]plan/i },
  'member, of a JSON object': {
    breach:
      /\bmembers? of (an? |the |its |his |each |every )?([\w']+ )?(JSON|body|object|reply|form|query|file)\b|\b(required|JSON) members?\b/i,
  },
  'claim, of a token': {
    breach: /\b(token|JWT|payload)(['’]s)? claims?\b|\bclaims? of (\w+ ){0,2}(token|JWT|payload)/i,
  },
  patience: { breach: /patien(ce|t)/i },
  'participles as names: told, seen, asked, held, due': {
    breach:
      /\b(const|let) (told|seen|asked|held|due)\b|^\s*(with )?(told|seen|asked|held|due) (as \(|(constant )?\w+( :=.*)?;)/,
    in: /^(functions|lib|cli|dev|bench)\//,
  },
}

describe('words that we do not use', () => {
  const lines = files.flatMap((file) =>
    text(file)
      .replace(file === GLOSSARY ? TABLE : '', '')
      .split('\n')
      .map((line, index) => ({ file, line, place: `${file}:${index + 1}` })),
  )

  test('are in the glossary if they are checked here', () => {
    expect(abandoned).toContain('patience')
    expect(Object.keys(RULES).filter((words) => !abandoned.includes(words))).toEqual([])
  })

  test.each(Object.entries(RULES))('%s: does not occur', (_words, { breach, in: where = /^/ }) => {
    const found = lines.filter(({ file, line }) => where.test(file) && breach.test(line))
    expect(found.map(({ place, line }) => `${place}: ${line.trim()}`)).toEqual([])
  })
})
