import type { Language } from "@tapeline/core/specifications"
import { createContext, type ReactNode, use, useEffect, useMemo, useState } from "react"
import { I18nProvider } from "react-aria-components"
import { storedSetting } from "../requests/storedSetting.ts"
import { initialLanguage } from "./language.ts"

interface LanguageChoice {
  readonly language: Language
  readonly choose: (language: Language) => void
}

const LanguageContext = createContext<LanguageChoice>({ language: "en", choose: () => undefined })

export const useLanguage = (): LanguageChoice => use(LanguageContext)

const storedLanguage = storedSetting("language")

export const LanguageProvider = ({ children }: { readonly children: ReactNode }) => {
  const [language, setLanguage] = useState(() => initialLanguage(storedLanguage.read(), navigator.languages))
  const choice = useMemo(() => ({
    language,
    choose: (next: Language) => {
      storedLanguage.write(next)
      setLanguage(next)
    }
  }), [language])
  useEffect(() => {
    document.documentElement.lang = language
  }, [language])
  return (
    <LanguageContext value={choice}>
      <I18nProvider locale={language}>{children}</I18nProvider>
    </LanguageContext>
  )
}
