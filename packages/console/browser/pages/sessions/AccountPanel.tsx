import type { SignedIn } from "@tapeline/client"
import { useNumbers } from "../../i18n/numbers.ts"
import { useTexts } from "../../i18n/texts.ts"
import { Figure, Figures, Panel } from "../../widgets/layout.tsx"
import { ExportButton } from "./ExportButton.tsx"
import styles from "./SessionsPage.module.css"
import { sessionsTexts } from "./texts.ts"

export const AccountPanel = ({ account }: { readonly account: SignedIn }) => {
  const texts = useTexts(sessionsTexts)
  const { day, integer } = useNumbers()
  const { plan } = account
  return (
    <Panel
      title={<span className={styles["accountName"]}>{account.name}</span>}
      aside={
        <span className="soft">
          {texts.number(account.id)}, {texts.since(day(account.created_at))}
        </span>
      }
    >
      <Figures>
        <Figure name={texts.plan}>{plan.name}</Figure>
        <Figure name={texts.credits}>{integer(plan.monthly_credits)}</Figure>
        <Figure name={texts.keys}>{integer(plan.keys)}</Figure>
        <Figure name={texts.requests}>{integer(plan.requests_per_minute)}</Figure>
        <Figure name={texts.answers}>{integer(plan.answers_per_day)}</Figure>
      </Figures>
      <ExportButton account={account.id} />
    </Panel>
  )
}
