import { focusManager } from "@tanstack/react-query"
import type { Language } from "@tapeline/core/specifications"
import { StrictMode } from "react"
import { createRoot } from "react-dom/client"
import type { InitialAccess } from "../access/Access.tsx"
import { openHomePage } from "../pages/openHomePage.ts"
import { signInPath } from "../pages/signIn/link.ts"
import { presence } from "../requests/presence.ts"
import { toPath } from "../router/route.ts"
import { preloadAdminArea } from "./AdminArea.tsx"
import { App } from "./App.tsx"
import { loadFonts } from "./fonts.ts"
import { preloadPage } from "./Pages.tsx"

/** Replaces the HTML of the page with the app, when the first render no longer has to wait for a script. */
export const mount = async (
  root: HTMLElement,
  language: Language,
  start: Promise<InitialAccess | undefined>
): Promise<void> => {
  presence.watch(window, document)
  // When the user becomes active again, the page refreshes stale data, as if the window had become visible.
  presence.subscribe(() => {
    if (presence.isPresent()) focusManager.onFocus()
  })
  const initialAccess = await start
  if (initialAccess?.state.kind === "session") openHomePage("/")
  const hasResponses = initialAccess?.earlyResponses.settled()
  await (initialAccess === undefined
    ? preloadAdminArea()
    : preloadPage(initialAccess.state.kind === "nothing" ? signInPath : toPath(location.pathname)))
  createRoot(root).render(
    <StrictMode>
      <App language={language} initialAccess={initialAccess} />
    </StrictMode>
  )
  root.removeAttribute("aria-busy")
  await hasResponses
  await loadFonts(language)
}
