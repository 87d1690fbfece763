import { Settings2 } from "lucide-react"
import { Button } from "../widgets/Button.tsx"
import { Menu, MenuChoice } from "../widgets/menus.tsx"
import { languageNames, languages } from "../words/language.ts"
import { useLanguage } from "../words/Languages.tsx"
import { useWords } from "../words/words.ts"
import { useTheme } from "./theme.ts"
import { frameWords } from "./words.ts"

/** The choices of theme and language, as sections of a menu. */
export const SettingsChoices = () => {
  const says = useWords(frameWords)
  const [theme, chooseTheme] = useTheme()
  const { choose, language } = useLanguage()
  return (
    <>
      <MenuChoice
        title={says.theme}
        chosen={theme}
        onChange={chooseTheme}
        options={[
          { value: "system", label: says.themeSystem },
          { value: "light", label: says.themeLight },
          { value: "dark", label: says.themeDark }
        ]}
      />
      <MenuChoice
        title={says.language}
        chosen={language}
        onChange={choose}
        options={languages.map((value) => ({ value, label: languageNames[value] }))}
      />
    </>
  )
}

/** The same choices as a separate menu, for pages without a sign-in. */
export const Settings = () => {
  const says = useWords(frameWords)
  const { language } = useLanguage()
  return (
    <Menu
      label={says.settings}
      button={
        <Button look="quiet" aria-label={`${languageNames[language]}: ${says.settings}`}>
          <Settings2 aria-hidden />
          {languageNames[language]}
        </Button>
      }
    >
      <SettingsChoices />
    </Menu>
  )
}
