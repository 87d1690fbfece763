import { CircleUser, KeyRound, LogOut } from "lucide-react"
import { useAccess } from "../access/Access.tsx"
import { useAccount } from "../access/useAccount.ts"
import { Button } from "../widgets/Button.tsx"
import { Menu, MenuEntry, MenuLine } from "../widgets/menus.tsx"
import { toast } from "../widgets/toasts.tsx"
import { useWords } from "../words/words.ts"
import styles from "./AccountMenu.module.css"
import { SettingsChoices } from "./Settings.tsx"
import { frameWords } from "./words.ts"

/** The menu with the account, the theme, the language and signing out. */
export const AccountMenu = () => {
  const says = useWords(frameWords)
  const { leave, who } = useAccess()
  const isKey = who.by === "key"
  const account = useAccount()
  const name = account?.name ?? says.byKey
  const plan = account?.plan.name
  const out = () => void leave().catch(() => toast(says.leaveFailed, "bad"))
  return (
    <Menu
      label={says.accountMenu}
      button={
        <Button look="quiet" aria-label={`${name}${plan === undefined ? "" : ` ${plan}`}: ${says.accountMenu}`}>
          {isKey ? <KeyRound aria-hidden /> : <CircleUser aria-hidden />}
          {/* Screen readers need the invisible space between the name and the plan. */}
          <span className={styles["name"]}>{plan === undefined ? name : `${name} `}</span>
          {plan !== undefined && <span className={styles["plan"]}>{plan}</span>}
        </Button>
      }
    >
      <SettingsChoices />
      <MenuLine />
      <MenuEntry icon={<LogOut aria-hidden />} onAction={out}>{isKey ? says.forgetKey : says.leave}</MenuEntry>
    </Menu>
  )
}
