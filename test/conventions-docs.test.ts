import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { basename, dirname, join, normalize } from 'node:path'
import { describe, expect, test } from 'vitest'

const root = join(import.meta.dirname, '..')
const tracked = execFileSync('git', ['ls-files'], { cwd: root, encoding: 'utf8' }).trim().split('\n')
const topFolders = new Set(tracked.filter((file) => file.includes('/')).map((file) => file.split('/')[0]!))
const text = (file: string) => readFileSync(join(root, file), 'utf8')
const pages = tracked.filter((file) => /^(README\.md|docs\/.*\.md)$/.test(file))

/** Files that the reader of a recipe creates. */
const EXAMPLE_FILE = /\bgift\b|\bticket-language\b/

describe('names in README.md and docs/', () => {
  /** Inline code and code blocks. A command has several words. */
  const codeIn = (page: string) =>
    [...text(page).matchAll(/^```[\s\S]*?^```|`([^`\n]+)`/gm)].map(([all, code]) => code ?? all)

  test('that look like paths exist in the repository', () => {
    const named = pages.flatMap((page) =>
      codeIn(page).flatMap((code) => {
        const words = code.split(/\s+/)
        return words.filter(isPath).map((word) => ({ page, word, isOnlyWord: words.length === 1 }))
      }),
    )
    expect(named.length).toBeGreaterThan(100)
    expect(named.filter(({ word, isOnlyWord }) => !pathExists(word, isOnlyWord))).toEqual([])
  })

  test('that look like file or folder names match one in the repository', () => {
    const named = pages.flatMap((page) => codeIn(page).map((code) => ({ page, code })))
    const names = named.filter(({ code }) => /^[\w-][\w.-]*(\.(ts|mjs|sql|md|json|toml|yaml|html)|\/)$/.test(code))
    expect(names.map(({ code }) => code)).toContain('worker.ts')
    const wrong = names.filter(({ code }) =>
      code.endsWith('/')
        ? !tracked.some((file) => `/${file}`.includes(`/${code}`))
        : !tracked.some((file) => basename(file) === code) && !EXAMPLE_FILE.test(code),
    )
    expect(wrong).toEqual([])
  })
})

/** Whether a word begins with a top-level folder of the repository. */
function isPath(word: string): boolean {
  return word.includes('/') && topFolders.has(word.split('/')[0]!) && !EXAMPLE_FILE.test(word)
}

/** Whether a file or folder has this path; `<name>` and `*` match any name. A word in a command may be a prefix of a path. */
function pathExists(path: string, isFullPath: boolean): boolean {
  const pattern = path
    .replace(/[.,:;]$/, '')
    .replace(/\/$/, '')
    .replaceAll('.', '\\.')
    .replaceAll(/<[\w ]+>|\*/g, '[^/]+')
  const matcher = new RegExp(isFullPath ? `^${pattern}(/|$)` : `^${pattern}`)
  return tracked.some((file) => matcher.test(file))
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

  test('points to an existing file or folder', () => {
    expect(links.length).toBeGreaterThan(30)
    const wrong = resolved.filter(({ file }) => !tracked.some((each) => each === file || each.startsWith(`${file}/`)))
    expect(wrong).toEqual([])
  })

  test('with an anchor points to an existing heading', () => {
    const anchored = resolved.filter(({ anchor }) => anchor !== undefined)
    expect(anchored.length).toBeGreaterThan(5)
    expect(anchored.filter(({ file, anchor }) => !anchors(text(file)).includes(anchor!))).toEqual([])
  })
})

/** The anchors of a page's headings, as GitHub generates them for unique headings. */
function anchors(page: string): string[] {
  const headings = [...page.matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) => heading)
  return headings.map((heading) =>
    heading
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
      .replaceAll(/\s/g, '-'),
  )
}
