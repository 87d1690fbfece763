import type { SignedIn } from "@tapeline/client"
import lists from "../../widgets/lists.module.css"
import { Figure, Figures, Panel } from "../../widgets/parts.tsx"
import { useNumbers } from "../../words/numbers.ts"
import { useWords } from "../../words/words.ts"
import styles from "./SessionsPage.module.css"
import { sessionsWords } from "./words.ts"

/** The account's name and the limits of its plan. */
export const AccountPanel = ({ account }: { readonly account: SignedIn }) => {
  const says = useWords(sessionsWords)
  const { day, whole } = useNumbers()
  const { plan } = account
  return (
    <Panel
      title={<span className={styles["accountName"]}>{account.name}</span>}
      aside={
        <span className={lists["soft"]}>
          {says.number(account.id)}, {says.since(day(account.created_at))}
        </span>
      }
    >
      <Figures>
        <Figure name={says.plan}>{plan.name}</Figure>
        <Figure name={says.credits}>{whole(plan.monthly_credits)}</Figure>
        <Figure name={says.keys}>{whole(plan.keys)}</Figure>
        <Figure name={says.requests}>{whole(plan.requests_per_minute)}</Figure>
        <Figure name={says.answers}>{whole(plan.answers_per_day)}</Figure>
      </Figures>
    </Panel>
  )
}
