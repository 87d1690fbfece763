import type { Language } from "@tapeline/core/specifications"
import { storedSetting } from "../requests/storedSetting.ts"
import { basePath } from "../router/route.ts"
import { initialLanguage } from "./language.ts"

const storedLanguage = storedSetting("language")

/** Reports to the service in which language the browser wants the HTML of the pages. */
const writeLanguageCookie = (language: Language): void => {
  document.cookie = `tapeline_language=${language}; Path=${basePath}; Max-Age=31536000; SameSite=Lax`
}

export const storeLanguage = (language: Language): void => {
  storedLanguage.write(language)
  writeLanguageCookie(language)
}

/**
 * Returns the language of the page. If the HTML has a different language, the cookie corrects the language of the next
 * HTML.
 */
export const readLanguage = (): Language => {
  const language = initialLanguage(storedLanguage.read(), navigator.languages)
  if (document.documentElement.lang !== language) writeLanguageCookie(language)
  return language
}
