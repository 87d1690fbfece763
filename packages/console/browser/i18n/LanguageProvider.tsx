import type { Language } from "@tapeline/core/specifications"
import { createContext, type ReactNode, use, useEffect, useMemo, useState } from "react"
import { I18nProvider } from "react-aria-components"
import { storeLanguage } from "./storedLanguage.ts"

interface LanguageChoice {
  readonly language: Language
  readonly choose: (language: Language) => void
}

const LanguageContext = createContext<LanguageChoice>({ language: "en", choose: () => undefined })

export const useLanguage = (): LanguageChoice => use(LanguageContext)

export const LanguageProvider = ({ children, initial }: {
  readonly children: ReactNode
  readonly initial: Language
}) => {
  const [language, setLanguage] = useState(initial)
  const choice = useMemo(() => ({
    language,
    choose: (next: Language) => {
      storeLanguage(next)
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
