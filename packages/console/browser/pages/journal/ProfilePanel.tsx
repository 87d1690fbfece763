import { useState } from "react"
import { useLanguage } from "../../i18n/LanguageProvider.tsx"
import { useTexts } from "../../i18n/texts.ts"
import { useCachedResults } from "../../requests/cachedResults.ts"
import { usePricedLabel } from "../../requests/catalogue.ts"
import { useWrite, type WriteAction } from "../../requests/useWrite.ts"
import { Button } from "../../widgets/Button.tsx"
import forms from "../../widgets/forms.module.css"
import { useForm } from "../../widgets/forms.tsx"
import { Panel } from "../../widgets/layout.tsx"
import { ProblemNote } from "../../widgets/states.tsx"
import { showToast } from "../../widgets/toasts.tsx"
import { NumberInput, useFaultText } from "./fields.tsx"
import { parseProfileDraft, profileFields, toProfileDraft } from "./numberDrafts.ts"
import { portfolioRiskQuery, positionsQuery, type Profile } from "./queries.ts"
import { riskTexts } from "./riskTexts.ts"

type Changes = ReturnType<typeof parseProfileDraft>["changes"]

const useSaveProfile = (onSaved: () => void): WriteAction<Changes> => {
  const { update, invalidate } = useCachedResults()
  return useWrite(
    "set_risk_profile",
    (client, changes: Changes, options) => client.tools.set_risk_profile(changes, options),
    ({ risk_profile }) => {
      update(positionsQuery, (before) => ({ ...before, risk_profile }))
      invalidate(portfolioRiskQuery.tool)
      onSaved()
    }
  )
}

export const ProfilePanel = ({ canWrite, profile }: { readonly profile: Profile; readonly canWrite: boolean }) => {
  const texts = useTexts(riskTexts)
  const { language } = useLanguage()
  const pricedLabel = usePricedLabel()
  const faultText = useFaultText()
  const [draft, setDraft] = useState(() => toProfileDraft(profile))
  const saveAction = useSaveProfile(() => showToast(texts.saved))
  const { changes, faults } = parseProfileDraft(draft, profile, language)
  const { isSubmitted, submit } = useForm(() => {
    if (Object.keys(faults).length > 0) return
    if (Object.keys(changes).length === 0) showToast(texts.nothing)
    else saveAction.run(changes)
  })
  const names = {
    account_usd: texts.account,
    risk_pct: texts.riskOf,
    max_leverage: texts.maxLeverage,
    max_open_risk_pct: texts.maxOpen
  }
  const types = {
    account_usd: "USD",
    risk_pct: texts.ofAccount,
    max_leverage: texts.times,
    max_open_risk_pct: texts.ofAccount
  }
  const { isRunning, issues, problem } = saveAction
  return (
    <Panel title={texts.profile}>
      <form className="column gap-3" onSubmit={submit} noValidate>
        <p className="soft small">{texts.profileDetail}</p>
        <div className={forms["pair"]}>
          {profileFields.map((name) => (
            <NumberInput
              key={name}
              label={names[name]}
              type={types[name]}
              value={draft[name]}
              onChange={(text) => {
                setDraft({ ...draft, [name]: text })
                saveAction.reset()
              }}
              fault={faultText(isSubmitted ? faults[name] : undefined, issues[name])}
            />
          ))}
        </div>
        {problem !== undefined && Object.keys(issues).length === 0 && <ProblemNote problem={problem} />}
        {canWrite && (
          <div>
            <Button type="submit" isBusy={isRunning}>{pricedLabel(texts.save, "set_risk_profile")}</Button>
          </div>
        )}
      </form>
    </Panel>
  )
}
