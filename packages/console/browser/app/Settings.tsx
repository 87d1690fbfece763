import { Settings2 } from "lucide-react"
import { languageNames, languages } from "../i18n/language.ts"
import { useLanguage } from "../i18n/LanguageProvider.tsx"
import { useTexts } from "../i18n/texts.ts"
import { Button } from "../widgets/Button.tsx"
import { Menu, MenuChoice } from "../widgets/menus.tsx"
import { frameTexts } from "./texts.ts"
import { useTheme } from "./theme.ts"

export const SettingsChoices = () => {
  const texts = useTexts(frameTexts)
  const [theme, setTheme] = useTheme()
  const { choose, language } = useLanguage()
  return (
    <>
      <MenuChoice
        title={texts.theme}
        selected={theme}
        onChange={setTheme}
        options={[
          { value: "system", label: texts.themeSystem },
          { value: "light", label: texts.themeLight },
          { value: "dark", label: texts.themeDark }
        ]}
      />
      <MenuChoice
        title={texts.language}
        selected={language}
        onChange={choose}
        options={languages.map((value) => ({ value, label: languageNames[value] }))}
      />
    </>
  )
}

export const Settings = () => {
  const texts = useTexts(frameTexts)
  const { language } = useLanguage()
  return (
    <Menu
      label={texts.settings}
      button={
        <Button variant="quiet" aria-label={`${languageNames[language]}: ${texts.settings}`}>
          <Settings2 aria-hidden />
          {languageNames[language]}
        </Button>
      }
    >
      <SettingsChoices />
    </Menu>
  )
}
