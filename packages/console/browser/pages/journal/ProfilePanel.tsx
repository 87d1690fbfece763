import { type SubmitEvent, useState } from "react"
import { usePriced } from "../../asking/usePriced.ts"
import { useToldBefore } from "../../asking/useToldBefore.ts"
import { useWrite, type Writing } from "../../asking/useWrite.ts"
import { Button } from "../../widgets/Button.tsx"
import forms from "../../widgets/forms.module.css"
import { Panel } from "../../widgets/parts.tsx"
import { TroubleNote } from "../../widgets/states.tsx"
import { toast } from "../../widgets/toasts.tsx"
import { useLanguage } from "../../words/Languages.tsx"
import { useWords } from "../../words/words.ts"
import { portfolioRiskAsk, positionsAsk, type Profile } from "./asks.ts"
import { NumberInput, useFault } from "./fields.tsx"
import styles from "./Journal.module.css"
import { riskWords } from "./riskWords.ts"
import { changedProfile, profileFields, typedProfile } from "./typedNumbers.ts"

type Changes = ReturnType<typeof changedProfile>["changes"]

const useKeepProfile = (done: () => void): Writing<Changes> => {
  const { change, outdate } = useToldBefore()
  return useWrite(
    "set_risk_profile",
    (client, changes: Changes, options) => client.tools.set_risk_profile(changes, options),
    ({ risk_profile }) => {
      change(positionsAsk, (before) => ({ ...before, risk_profile }))
      outdate(portfolioRiskAsk.tool)
      done()
    }
  )
}

/** A form for the account's size and risk limits. */
export const ProfilePanel = ({ canWrite, profile }: { readonly profile: Profile; readonly canWrite: boolean }) => {
  const says = useWords(riskWords)
  const { language } = useLanguage()
  const priced = usePriced()
  const faultOf = useFault()
  const [typed, setTyped] = useState(() => typedProfile(profile))
  const [isTried, setIsTried] = useState(false)
  const keeping = useKeepProfile(() => toast(says.saved))
  const { changes, faults } = changedProfile(typed, profile, language)
  const submit = (event: SubmitEvent) => {
    event.preventDefault()
    setIsTried(true)
    if (Object.keys(faults).length > 0) return
    if (Object.keys(changes).length === 0) toast(says.nothing)
    else keeping.run(changes)
  }
  const names = {
    account_usd: says.account,
    risk_pct: says.riskOf,
    max_leverage: says.maxLeverage,
    max_open_risk_pct: says.maxOpen
  }
  const types = {
    account_usd: "USD",
    risk_pct: says.ofAccount,
    max_leverage: says.times,
    max_open_risk_pct: says.ofAccount
  }
  const { isRunning, refused, trouble } = keeping
  return (
    <Panel title={says.profile}>
      <form className={forms["form"]} onSubmit={submit} noValidate>
        <p className={styles["soft"]}>{says.profileMore}</p>
        <div className={forms["pair"]}>
          {profileFields.map((name) => (
            <NumberInput
              key={name}
              label={names[name]}
              type={types[name]}
              value={typed[name]}
              onChange={(text) => {
                setTyped({ ...typed, [name]: text })
                keeping.forget()
              }}
              fault={faultOf(isTried ? faults[name] : undefined, refused[name])}
            />
          ))}
        </div>
        {trouble !== undefined && Object.keys(refused).length === 0 && <TroubleNote trouble={trouble} />}
        {canWrite && (
          <div>
            <Button type="submit" isBusy={isRunning}>{priced(says.save, "set_risk_profile")}</Button>
          </div>
        )}
      </form>
    </Panel>
  )
}
