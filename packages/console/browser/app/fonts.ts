import type { Language } from "@tapeline/core/specifications"
import { storedSetting } from "../requests/storedSetting.ts"

const storedFonts = storedSetting("fonts")

/**
 * Loads the fonts into the cache of the browser. The next document uses the fonts from its first paint. The current
 * document keeps the fonts of the system, because other fonts would move its text.
 */
export const loadFonts = async (language: Language): Promise<void> => {
  // A browser loads the file of a font whose range contains a letter of the text.
  const letters = language === "ru" ? "aя" : "a"
  await Promise.all(["1rem Plex", "1rem Plex Mono"].map((font) => document.fonts.load(font, letters)))
  storedFonts.write("loaded")
}
