import { CircleUser, KeyRound, LogOut } from "lucide-react"
import { useAccess } from "../access/Access.tsx"
import { useAccount } from "../access/useAccount.ts"
import { useTexts } from "../i18n/texts.ts"
import { Button } from "../widgets/Button.tsx"
import { Menu, MenuEntry, MenuSeparator } from "../widgets/menus.tsx"
import { showToast } from "../widgets/toasts.tsx"
import styles from "./AccountMenu.module.css"
import { SettingsChoices } from "./Settings.tsx"
import { frameTexts } from "./texts.ts"

export const AccountMenu = () => {
  const texts = useTexts(frameTexts)
  const { signOut, credentials } = useAccess()
  const isKey = credentials.kind === "key"
  const account = useAccount()
  const name = account?.name ?? texts.pastedKey
  const plan = account?.plan.name
  const signOutOrWarn = () => void signOut().catch(() => showToast(texts.signOutFailed, "bad"))
  return (
    <Menu
      label={texts.accountMenu}
      button={
        <Button variant="quiet" aria-label={`${name}${plan === undefined ? "" : ` ${plan}`}: ${texts.accountMenu}`}>
          {isKey ? <KeyRound aria-hidden /> : <CircleUser aria-hidden />}
          {/* Without the invisible space, screen readers would read the account's name and the plan as one word. */}
          <span className={styles["name"]}>{plan === undefined ? name : `${name} `}</span>
          {plan !== undefined && <span className={styles["plan"]}>{plan}</span>}
        </Button>
      }
    >
      <SettingsChoices />
      <MenuSeparator />
      <MenuEntry icon={<LogOut aria-hidden />} onAction={signOutOrWarn}>
        {isKey ? texts.forgetKey : texts.signOut}
      </MenuEntry>
    </Menu>
  )
}
