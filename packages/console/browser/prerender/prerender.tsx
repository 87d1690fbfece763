import type { Language } from "@tapeline/core/specifications"
import { renderToString } from "react-dom/server"
import { adminPath } from "../access/adminPath.ts"
import type { DetectedAccess } from "../access/detectAccess.ts"
import { placeholderAccount } from "../access/placeholderAccount.ts"
import { preloadAdminArea } from "../app/AdminArea.tsx"
import { App, queryClient } from "../app/App.tsx"
import { preloadPage } from "../app/Pages.tsx"
import { frameTexts } from "../app/texts.ts"
import { languages } from "../i18n/language.ts"
import { homePath } from "../pages/homePath.ts"
import { pages } from "../pages/index.ts"
import { signInPath } from "../pages/signIn/link.ts"
import { EarlyResponses } from "../requests/EarlyResponses.ts"
import { toAddress } from "../router/route.ts"
import { prerenderTexts } from "./texts.ts"

/** The HTML of a page before its scripts run: the frame, the page's own words, and placeholders for data. */
export interface PrerenderedPage {
  /** The path of the file without an extension, such as `ko/user/market/[coin]`. */
  readonly file: string
  readonly language: Language
  /** Whether the page is for browsers with a session. */
  readonly audience: "user" | "visitor"
  readonly title: string
  readonly html: string
  /** The text for browsers without JavaScript. */
  readonly noScript: string
  /** The names of the components whose scripts the page needs. */
  readonly components: ReadonlyArray<string>
}

/** The value of text parameters in a path, which a script in the HTML replaces by the parameter of the address. */
const parameterText = "PARAMETER"

const fillParameters = (path: string): string =>
  path.replaceAll(/:(\w+)/g, (_, name: string) => name === "coin" || name === "name" ? parameterText : "1")

const accessOf = (audience: PrerenderedPage["audience"]): DetectedAccess =>
  audience === "user" ? { kind: "session", account: placeholderAccount } : { kind: "nothing", isSessionLost: false }

/**
 * Renders the page at a path. Buttons and fields are disabled until the script replaces the HTML. An element that
 * contains only a parameter of the path is empty and has the attribute `data-parameter`.
 */
const render = (path: string, language: Language, audience: PrerenderedPage["audience"]): string => {
  // The globals of a browser that the pages read while they render.
  Object.assign(globalThis, { location: new URL(toAddress(path), "http://localhost"), isSecureContext: true })
  const initialAccess = { state: accessOf(audience), earlyResponses: new EarlyResponses() }
  const html = renderToString(<App language={language} initialAccess={initialAccess} />)
  // A cached query would keep the process alive.
  queryClient.clear()
  // React marks parts that failed to render, and leaves these parts to the browser.
  if (html.includes("<!--$!-->")) throw new Error(`${path} cannot be rendered without a browser`)
  return html
    .replaceAll(/ style="([^"]*)"/g, (attribute, style: string) => {
      // The content security policy forbids the attribute. React Aria uses it to hide elements.
      if (!/clip:|display:none/.test(style)) throw new Error(`${path} has an element with${attribute}`)
      return " hidden=\"\""
    })
    .replaceAll(/<(button|input|textarea)(?=[\s>])/g, "<$1 disabled=\"\"")
    .replaceAll(`>${parameterText}<`, " data-parameter=\"\"><")
}

/** Components whose scripts a page loads in addition to its own script. */
const laterComponents: Readonly<Record<string, ReadonlyArray<string>>> = { CoinPage: ["CandleChart"] }

/**
 * Renders the sign-in page with and without a sign-in link. The address contains the link after `#`, which only the
 * browser knows.
 */
const renderSignIn = (language: Language): string => {
  const [form, link] = [signInPath, `${signInPath}#tl_link_0`].map((path) => render(path, language, "visitor"))
  return `<div class="without-link">${form}</div><div class="with-link">${link}</div>`
}

interface PageSource {
  readonly file: string
  readonly path: string
  readonly audience: PrerenderedPage["audience"]
  readonly component: string
  readonly title: (language: Language) => string
}

const fileOf = (path: string): string => path.slice(1).replaceAll(/:(\w+)/g, "[$1]")

const listSources = async (): Promise<ReadonlyArray<PageSource>> => {
  const userPages = pages.map(async ({ load, name, path }): Promise<PageSource> => ({
    file: fileOf(path),
    path: fillParameters(path),
    audience: "user",
    component: (await load()).name,
    title: (language) => `${name[language]} · Tapeline`
  }))
  const sources = await Promise.all(userPages)
  const home = sources.find(({ path }) => path === homePath)!
  const signIn = sources.find(({ path }) => path === signInPath)!
  const admin: PageSource = {
    file: `${adminPath.slice(1)}/[...path]`,
    path: adminPath,
    audience: "user",
    component: "AdminPage",
    title: (language) => `${frameTexts[language].administration} · Tapeline`
  }
  return [
    ...sources,
    { ...home, file: "index" },
    { ...home, file: "[...path]", path: "/unknown", title: () => "Tapeline" },
    { ...signIn, file: "[...path]", audience: "visitor" },
    admin,
    { ...admin, audience: "visitor" }
  ]
}

/** Renders all pages in all languages. */
export const prerenderPages = async (): Promise<ReadonlyArray<PrerenderedPage>> => {
  const sources = await listSources()
  await Promise.all([preloadAdminArea(), ...sources.map(({ path }) => preloadPage(path))])
  return languages.flatMap((language) =>
    sources.map(({ audience, component, file, path, title }): PrerenderedPage => ({
      file: `${language}/${audience}/${file}`,
      language,
      audience,
      title: title(language),
      html: path === signInPath ? renderSignIn(language) : render(path, language, audience),
      noScript: prerenderTexts[language].noScript,
      components: [component, ...laterComponents[component] ?? []]
    }))
  )
}
