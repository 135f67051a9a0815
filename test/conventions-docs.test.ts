import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { basename, dirname, join, normalize } from 'node:path'
import { describe, expect, test } from 'vitest'

const root = join(import.meta.dirname, '..')
const tracked = execFileSync('git', ['ls-files'], { cwd: root, encoding: 'utf8' }).trim().split('\n')
const topFolders = new Set(tracked.filter((file) => file.includes('/')).map((file) => file.split('/')[0]!))
const text = (file: string) => readFileSync(join(root, file), 'utf8')
const pages = tracked.filter((file) => /^(README\.md|docs\/.*\.md)$/.test(file))

/** Of files that a recipe has its reader make. */
const OF_AN_EXAMPLE = /\bgift\b|\bticket-language\b/

describe('what README.md and docs/ name', () => {
  /** What stands in backticks, and each line of a block of code. A command is several words. */
  const codeIn = (page: string) =>
    [...text(page).matchAll(/^```[\s\S]*?^```|`([^`\n]+)`/gm)].map(([all, code]) => code ?? all)

  test('as a path of this tree is there', () => {
    const named = pages.flatMap((page) =>
      codeIn(page).flatMap((code) => {
        const words = code.split(/\s+/)
        return words.filter(isPath).map((word) => ({ page, word, isAlone: words.length === 1 }))
      }),
    )
    expect(named.length).toBeGreaterThan(100)
    expect(named.filter(({ word, isAlone }) => !isThere(word, isAlone))).toEqual([])
  })

  test('by its name alone is the name of a file or a folder', () => {
    const named = pages.flatMap((page) => codeIn(page).map((code) => ({ page, code })))
    const names = named.filter(({ code }) => /^[\w-][\w.-]*(\.(ts|mjs|sql|md|json|toml|yaml|html)|\/)$/.test(code))
    expect(names.map(({ code }) => code)).toContain('worker.ts')
    const wrong = names.filter(({ code }) =>
      code.endsWith('/')
        ? !tracked.some((file) => `/${file}`.includes(`/${code}`))
        : !tracked.some((file) => basename(file) === code) && !OF_AN_EXAMPLE.test(code),
    )
    expect(wrong).toEqual([])
  })
})

/** Whether a word begins as a path of this tree does. */
function isPath(word: string): boolean {
  return word.includes('/') && topFolders.has(word.split('/')[0]!) && !OF_AN_EXAMPLE.test(word)
}

/** Whether a file or a folder has that path, with any name for `<name>` and `*`. Of a command a word may be its beginning. */
function isThere(path: string, isWhole: boolean): boolean {
  const pattern = path
    .replace(/[.,:;]$/, '')
    .replace(/\/$/, '')
    .replaceAll('.', '\\.')
    .replaceAll(/<[\w ]+>|\*/g, '[^/]+')
  const whole = new RegExp(isWhole ? `^${pattern}(/|$)` : `^${pattern}`)
  return tracked.some((file) => whole.test(file))
}

describe('a link', () => {
  const links = pages.flatMap((page) =>
    [...text(page).matchAll(/\]\(([^)\s]+)\)/g)]
      .map(([, target = '']) => ({ page, target }))
      .filter(({ target }) => !/^https?:/.test(target)),
  )
  const resolved = links.map(({ page, target }) => {
    const [path = '', anchor] = target.split('#')
    return { page, target, file: path === '' ? page : normalize(join(dirname(page), path)).replace(/\/$/, ''), anchor }
  })

  test('leads to a file or a folder of this tree', () => {
    expect(links.length).toBeGreaterThan(30)
    const wrong = resolved.filter(({ file }) => !tracked.some((each) => each === file || each.startsWith(`${file}/`)))
    expect(wrong).toEqual([])
  })

  test('with an anchor leads to a heading', () => {
    const anchored = resolved.filter(({ anchor }) => anchor !== undefined)
    expect(anchored.length).toBeGreaterThan(5)
    expect(anchored.filter(({ file, anchor }) => !anchorsOf(text(file)).includes(anchor!))).toEqual([])
  })
})

/** The anchors of a page's headings, as GitHub makes them of headings that differ. */
function anchorsOf(page: string): string[] {
  const headings = [...page.matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) => heading)
  return headings.map((heading) =>
    heading
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
      .replaceAll(/\s/g, '-'),
  )
}
