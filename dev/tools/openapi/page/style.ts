/** The look of the page: a list of chapters beside the text, or above it where there is no room. */
export const STYLE = `
  :root { color-scheme: light dark; --line: light-dark(#e5e7eb, #374151); --soft: light-dark(#f9fafb, #1f2937);
    --quiet: light-dark(#6b7280, #9ca3af); --link: light-dark(#4338ca, #a5b4fc) }
  body { font: 15px/1.55 system-ui, sans-serif; margin: 0; display: grid; grid-template-columns: 17rem minmax(0, 1fr);
    color: light-dark(#1f2937, #e5e7eb); background: light-dark(#fff, #111827) }
  nav { position: sticky; top: 0; height: 100vh; box-sizing: border-box; overflow: auto; padding: 1.5rem;
    border-right: 1px solid var(--line); font-size: 14px }
  nav a { display: block; padding: .1rem 0; text-decoration: none; overflow-wrap: anywhere }
  nav b { display: block; margin-top: .8rem }
  main { max-width: 54rem; padding: 1.5rem 2rem 6rem; min-width: 0 }
  h1 { font-size: 1.1rem; margin: 0 } h2 { margin-top: 3rem } h3 { font-size: 1.15rem; margin-top: 0 }
  h4 { margin: 1.5rem 0 .4rem }
  a { color: var(--link) }
  article { border-top: 1px solid var(--line); padding: 1.5rem 0; margin-top: 1.5rem }
  code, pre { font: 13px/1.5 ui-monospace, monospace }
  code { overflow-wrap: anywhere }
  pre { background: var(--soft); border: 1px solid var(--line); border-radius: 6px; padding: .8rem; overflow: auto }
  table { border-collapse: collapse; width: 100% }
  td { border-top: 1px solid var(--line); padding: .35rem .8rem .35rem 0; vertical-align: top }
  td:first-child code { overflow-wrap: break-word }
  th { text-align: left; font-size: 13px; font-weight: normal; color: var(--quiet) }
  td p, td ul { margin: 0 } ul { padding-left: 1.2rem }
  small { color: var(--quiet); font-weight: normal }
  .who { border: 1px solid var(--line); border-radius: 1rem; padding: 0 .5rem }
  .event { border-top: 1px solid var(--line); padding-top: .5rem; margin: .5rem 0 }
  .skip { position: absolute; left: 1.5rem; top: .3rem; background: light-dark(#fff, #111827) } .skip:not(:focus) { clip-path: inset(50%) }
  @media (max-width: 60rem) { body { display: block } nav { position: static; height: auto; border: 0 } }
  @media (max-width: 40rem) {
    nav, main { padding-left: 1rem; padding-right: 1rem } tr:has(th) { display: none }
    tr:not(:has(th)) { display: block; border-top: 1px solid var(--line); padding: .35rem 0 } td { display: block; border: 0; padding: .1rem 0 }
    td:nth-child(2):not(:last-child) { color: var(--quiet); font-size: 13px }
  }
`
