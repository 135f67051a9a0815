// What pages do better with a script. All of it works without one.

for (const form of document.forms) form.addEventListener('submit', refuseSecond)

/** A form that is on its way is not sent a second time. */
function refuseSecond(event: SubmitEvent): void {
  const form = event.currentTarget
  if (!(form instanceof HTMLFormElement)) return
  if (form.ariaBusy === 'true') event.preventDefault()
  form.ariaBusy = 'true'
}

// A page that the browser kept and shows again may send its form again.
addEventListener('pageshow', () => {
  for (const form of document.forms) form.ariaBusy = null
})
