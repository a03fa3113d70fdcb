// Gives the focus back to what it came from. Where that is gone, or goes with the rows that an act has settled, the page's
// content gets it: a keyboard must not begin at the top again.

export function returnFocus(to: Element | null): void {
  if (!(to instanceof HTMLElement) || to === document.body || !to.isConnected) {
    toContent()
    return
  }
  to.focus()
  const watch = new MutationObserver(() => {
    if (to.isConnected) return
    end()
    if (document.activeElement === document.body) toContent()
  })
  const end = (): void => {
    watch.disconnect()
    removeEventListener("focusin", end)
  }
  watch.observe(document.body, { childList: true, subtree: true })
  addEventListener("focusin", end)
}

const toContent = (): void => document.getElementById("content")?.focus({ preventScroll: true })
