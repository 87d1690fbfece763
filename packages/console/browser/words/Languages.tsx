import type { Language } from "@tapeline/core/specifications"
import { createContext, type ReactNode, use, useEffect, useMemo, useState } from "react"
import { I18nProvider } from "react-aria-components"
import { remembered } from "../asking/remembered.ts"
import { languageOf } from "./language.ts"

interface Chosen {
  readonly language: Language
  readonly choose: (language: Language) => void
}

const LanguageContext = createContext<Chosen>({ language: "en", choose: () => undefined })

/** The selected language, and how to select another. */
export const useLanguage = (): Chosen => use(LanguageContext)

const stored = remembered("language")

/** Provides the language to its children, including React Aria's own texts and numbers. */
export const Languages = ({ children }: { readonly children: ReactNode }) => {
  const [language, setLanguage] = useState(() => languageOf(stored.read(), navigator.languages))
  const chosen = useMemo(() => ({
    language,
    choose: (next: Language) => {
      stored.write(next)
      setLanguage(next)
    }
  }), [language])
  useEffect(() => {
    document.documentElement.lang = language
  }, [language])
  return (
    <LanguageContext value={chosen}>
      <I18nProvider locale={language}>{children}</I18nProvider>
    </LanguageContext>
  )
}
