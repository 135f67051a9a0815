// Pagination and search of home's long lists. The URL has the search text and the page of each: `?users=ann&users-page=2`.
import { html } from 'hono/html'
import type { Html } from '../../emulators/core/pages/layout.ts'

export const PAGE_SIZE = 30

/** A page of a list, newest entries first. */
export interface ListPage {
  number: number
  /** How many entries the pages before it have. */
  offset: number
  hasOlder: boolean
}

/** The page that the URL names in a list of `total` entries, at most the last one. */
export function listPage(query: URLSearchParams, list: string, total: number): ListPage {
  const last = Math.max(1, Math.ceil(total / PAGE_SIZE))
  const number = Math.min(pageNumber(query, list), last)
  return { number, offset: (number - 1) * PAGE_SIZE, hasOlder: number < last }
}

/** The page number in the URL; 1 if it is missing or invalid. */
export function pageNumber(query: URLSearchParams, list: string): number {
  const number = Number(query.get(`${list}-page`))
  return Number.isSafeInteger(number) && number > 0 ? number : 1
}

/** The number of entries in a list's heading: `5,021`, or `3 of 5,021`. */
export const formatCount = (found: number, all = found) =>
  [...new Set([found, all])].map((count) => count.toLocaleString('en')).join(' of ')

/** Links to the previous and next page; empty if there is one page only. */
export function pager(query: URLSearchParams, list: string, { number, hasOlder }: Omit<ListPage, 'offset'>): Html | '' {
  if (number === 1 && !hasOlder) return ''
  return html`<nav class="pages" aria-label="Pages of ${list}">
      ${number > 1 ? link(query, list, number - 1, 'Newer') : ''}
      <span>Page ${number}</span>
      ${hasOlder ? link(query, list, number + 1, 'Older') : ''}
    </nav>`
}

function link(query: URLSearchParams, list: string, number: number, label: string): Html {
  const address = new URLSearchParams(query)
  address.set(`${list}-page`, String(number))
  return html`<a href="?${address.toString()}#${list}">${label}</a>`
}

/** A search form that keeps the state of the other lists. */
export function searchForm(query: URLSearchParams, list: string, label: string): Html {
  return html`<form method="get" action="/#${list}" class="filter">
      ${otherFields(query, [list, `${list}-page`])}
      <label>${label} <input name="${list}" type="search" value="${query.get(list) ?? ''}" data-keep></label>
      <button>Find</button>
    </form>`
}

/** Hidden fields for the URL's other parameters. */
export const otherFields = (query: URLSearchParams, own: string[]) =>
  [...query].flatMap(([name, value]) =>
    own.includes(name) ? [] : html`<input type="hidden" name="${name}" value="${value}">`,
  )
