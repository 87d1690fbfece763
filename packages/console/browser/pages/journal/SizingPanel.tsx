import { useState } from "react"
import { useFormats } from "../../i18n/formats.ts"
import { useLanguage } from "../../i18n/LanguageProvider.tsx"
import { useNumbers } from "../../i18n/numbers.ts"
import { useTexts } from "../../i18n/texts.ts"
import { usePricedLabel } from "../../requests/catalogue.ts"
import { type ArgumentIssues, useWrite } from "../../requests/useWrite.ts"
import { Button } from "../../widgets/Button.tsx"
import forms from "../../widgets/forms.module.css"
import { useForm } from "../../widgets/forms.tsx"
import { Panel } from "../../widgets/layout.tsx"
import { RMultiple } from "../../widgets/ProfitLoss.tsx"
import { ProblemNote } from "../../widgets/states.tsx"
import { NumberInput, useFaultText } from "./fields.tsx"
import styles from "./Journal.module.css"
import { emptySizing, parseSizingDraft, type SizingArguments, type SizingDraft, sizingFields } from "./numberDrafts.ts"
import type { PositionDraft } from "./positionDraft.ts"
import { SideBadge } from "./PositionsView.tsx"
import type { Sizing } from "./queries.ts"
import { riskTexts } from "./riskTexts.ts"

const SizingResult = ({ sizing }: { readonly sizing: Sizing }) => {
  const texts = useTexts(riskTexts)
  const { figure } = useNumbers()
  const { usd, percent } = useFormats()
  const { liquidation_distance_pct: distance, liquidation_price: liquidation, margin_usd, quantity } = sizing
  return (
    <>
      <dl className={styles["results"]} aria-live="polite">
        <div>
          <dt>{texts.size}</dt>
          <dd className={styles["named"]}>
            {usd(sizing.size_usd)} <SideBadge side={sizing.side} />
          </dd>
        </div>
        <div>
          <dt>{texts.quantity}</dt>
          <dd>{figure(quantity)}</dd>
        </div>
        <div>
          <dt>{texts.costs}</dt>
          <dd>
            {usd(sizing.risk_usd)} <span className="soft small">{percent(sizing.risk_pct)}</span>
          </dd>
        </div>
        <div>
          <dt>{texts.distance}</dt>
          <dd>{percent(sizing.stop_distance_pct)}</dd>
        </div>
        {margin_usd !== null && (
          <div>
            <dt>{texts.margin}</dt>
            <dd>{usd(margin_usd)}</dd>
          </div>
        )}
        {liquidation !== null && (
          <div>
            <dt>{texts.liquidation}</dt>
            <dd>
              {figure(liquidation)} {distance !== null && <span className="soft small">{percent(distance)}</span>}
            </dd>
          </div>
        )}
        {sizing.r_multiples.map(({ r, target }) => (
          <div key={target}>
            <dt>{texts.target(figure(target))}</dt>
            <dd>
              <RMultiple r={r} />
            </dd>
          </div>
        ))}
      </dl>
      {sizing.warnings.length > 0 && (
        <ul className={styles["warnings"]}>{sizing.warnings.map((warning) => <li key={warning}>{warning}</li>)}</ul>
      )}
    </>
  )
}

const toPositionDraft = (draft: SizingDraft, { side, size_usd }: Sizing): Partial<PositionDraft> => ({
  side,
  size_usd: String(size_usd),
  entry: draft.entry,
  stop: draft.stop,
  leverage: draft.leverage,
  targets: draft.targets
})

const SizingFields = ({ change, faults, issues, draft }: {
  readonly draft: SizingDraft
  readonly change: (changes: Partial<SizingDraft>) => void
  readonly faults: ReturnType<typeof parseSizingDraft>["faults"]
  readonly issues: ArgumentIssues
}) => {
  const texts = useTexts(riskTexts)
  const faultText = useFaultText()
  const fields = {
    entry: { label: texts.entry, type: "USD", isRequired: true },
    // The service reports an issue with the combination of stop and entry under an empty path.
    stop: { label: texts.stop, type: "USD", isRequired: true, issues: issues["stop"] ?? issues[""] },
    account_usd: { label: texts.account, type: "USD", hint: texts.fromProfile },
    risk_pct: { label: texts.riskOf, type: texts.ofAccount, hint: texts.orOne },
    leverage: { label: texts.leverage, type: texts.times },
    targets: { label: texts.targets, type: "USD", hint: texts.targetsHint }
  }
  return (
    <div className={forms["pair"]}>
      {([...sizingFields, "targets"] as const).map((name) => {
        const field: {
          label: string
          type: string
          isRequired?: boolean
          hint?: string
          issues?: string | undefined
        } = fields[name]
        return (
          <NumberInput
            key={name}
            label={field.label}
            type={field.type}
            hint={field.hint}
            isRequired={field.isRequired}
            value={draft[name]}
            onChange={(text) => change({ [name]: text })}
            fault={faultText(faults[name], field.issues ?? issues[name])}
          />
        )
      })}
    </div>
  )
}

/**
 * The form of the position size calculator. The user enters the entry price, the stop, and the share of the account to
 * risk.
 */
export const SizingPanel = ({ onRecord }: {
  readonly onRecord: ((initial: Partial<PositionDraft>) => void) | undefined
}) => {
  const texts = useTexts(riskTexts)
  const { language } = useLanguage()
  const pricedLabel = usePricedLabel()
  const [draft, setDraft] = useState(emptySizing)
  const [sizing, setSizing] = useState<Sizing>()
  const sizingAction = useWrite(
    "get_risk_sizing",
    (client, args: SizingArguments, options) => client.tools.get_risk_sizing(args, options),
    (sizing: Sizing) => setSizing(sizing)
  )
  const { args, faults } = parseSizingDraft(draft, language)
  const { isSubmitted, submit } = useForm(() => {
    if (args !== undefined) sizingAction.run(args)
  })
  const { isRunning, issues, problem } = sizingAction
  return (
    <Panel title={texts.sizing}>
      <form className="column gap-3" onSubmit={submit} noValidate>
        <p className="soft small">{texts.sizingDetail}</p>
        <SizingFields
          draft={draft}
          change={(changes) => {
            setDraft({ ...draft, ...changes })
            setSizing(undefined)
            sizingAction.reset()
          }}
          faults={isSubmitted ? faults : {}}
          issues={issues}
        />
        {problem !== undefined && Object.keys(issues).length === 0 && <ProblemNote problem={problem} />}
        {sizing !== undefined && <SizingResult sizing={sizing} />}
        <div className="row wrap gap-2 gap-x-4">
          <Button type="submit" isBusy={isRunning}>{pricedLabel(texts.compute, "get_risk_sizing")}</Button>
          {sizing !== undefined && onRecord !== undefined && (
            <Button onPress={() => onRecord(toPositionDraft(draft, sizing))}>{texts.recordIt}</Button>
          )}
        </div>
      </form>
    </Panel>
  )
}
