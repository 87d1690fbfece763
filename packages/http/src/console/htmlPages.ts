import { sessionCookie } from "@tapeline/api"
import { createHash } from "node:crypto"
import { uniqueCookie } from "../callers/cookies.ts"
import type { StaticFile } from "../staticFiles.ts"

/** The HTML of a page, and the digests of its inline scripts and styles for the content security policy. */
export interface HtmlPage {
  readonly file: StaticFile
  readonly language: string
  readonly scriptDigests: ReadonlyArray<string>
  readonly styleDigests: ReadonlyArray<string>
}

type Headers = Readonly<Record<string, string | undefined>>

export interface HtmlPages {
  /** Returns the HTML of a console path such as `market/BTC`; undefined if the console has no HTML for its pages. */
  readonly find: (path: string, headers: Headers) => HtmlPage | undefined
}

/** The folder of the pages. The files have paths such as `pages/ko/user/market/[coin].html`. */
export const pagesFolder = "pages/"

/** The cookie with the language that the user has selected. */
const languageCookie = "tapeline_language"

const inlineDigests = (html: string, element: "script" | "style"): ReadonlyArray<string> =>
  [...html.matchAll(new RegExp(`<${element}>([^]*?)</${element}>`, "g"))].map(([, text]) =>
    `'sha256-${createHash("sha256").update(text!).digest("base64")}'`
  )

const toHtmlPage = (file: StaticFile, language: string): HtmlPage => {
  const html = new TextDecoder().decode(file.bytes)
  return { file, language, scriptDigests: inlineDigests(html, "script"), styleDigests: inlineDigests(html, "style") }
}

/** Returns the languages of an `Accept-Language` header, in the order of preference (RFC 9110, 12.5.4). */
const preferredLanguages = (acceptLanguage: string): ReadonlyArray<string> =>
  acceptLanguage.split(",").map((range) => {
    const [tag = "", ...parameters] = range.split(";").map((part) => part.trim().toLowerCase())
    const quality = parameters.find((parameter) => parameter.startsWith("q="))
    return { language: tag.split("-")[0]!, quality: quality === undefined ? 1 : Number(quality.slice(2)) }
  }).filter(({ quality }) => quality > 0).toSorted((a, b) => b.quality - a.quality).map(({ language }) => language)

/** Returns the user's language: the selected language, the first supported language of the browser, or English. */
export const findLanguage = (supported: ReadonlySet<string>, headers: Headers): string =>
  [uniqueCookie(languageCookie, headers["cookie"]) ?? "", ...preferredLanguages(headers["accept-language"] ?? "")]
    .find((language) => supported.has(language)) ?? "en"

/** Returns whether a request contains a session cookie. The session may have ended. */
const hasSessionCookie = (headers: Headers): boolean =>
  [sessionCookie.name, sessionCookie.local].some((name) => uniqueCookie(name, headers["cookie"]) !== undefined)

/**
 * Converts the path of a file to a pattern of its pages. `[coin]` matches one segment, and `[...path]` matches any
 * number of segments.
 */
const toPattern = (path: string): RegExp => {
  const segments = path.split("/").map((segment) =>
    segment.startsWith("[...") ? "(?:/[^]*)?" : segment.startsWith("[") ? "/[^/]+" : `/${segment}`
  )
  return new RegExp(`^${segments.join("")}/?$`)
}

/** The order in which patterns are tried: fixed paths, then paths with a parameter, then paths of any length. */
const rankOf = (path: string): number =>
  path.includes("[...") ? 2 + Number(!path.includes("/")) : Number(path.includes("["))

/** Finds the HTML of pages in the files of the console, by the address, the language and the session of a request. */
export const makeHtmlPages = (files: ReadonlyArray<StaticFile>): HtmlPages => {
  const pages = files.flatMap((file) => {
    const [, language, audience, path] = /^pages\/([a-z]+)\/(user|visitor)\/(.+)\.html$/.exec(file.path) ?? []
    if (language === undefined || path === undefined) return []
    const pattern = path === "index" ? /^\/?$/ : toPattern(path)
    return [{
      group: `${language}/${audience}`,
      language,
      pattern,
      rank: rankOf(path),
      page: toHtmlPage(file, language)
    }]
  })
  const byGroup = Map.groupBy(pages.toSorted((a, b) => a.rank - b.rank), ({ group }) => group)
  const languages = new Set(pages.map(({ language }) => language))
  return {
    find: (path, headers) => {
      const group = `${findLanguage(languages, headers)}/${hasSessionCookie(headers) ? "user" : "visitor"}`
      return byGroup.get(group)?.find(({ pattern }) => pattern.test(`/${path}`))?.page
    }
  }
}
