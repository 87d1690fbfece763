import { type SubmitEvent, useState } from "react"
import { usePriced } from "../../asking/usePriced.ts"
import { type Refused, useWrite } from "../../asking/useWrite.ts"
import { Button } from "../../widgets/Button.tsx"
import forms from "../../widgets/forms.module.css"
import { InR } from "../../widgets/Made.tsx"
import { Panel } from "../../widgets/parts.tsx"
import { TroubleNote } from "../../widgets/states.tsx"
import { useFormats } from "../../words/formats.ts"
import { useLanguage } from "../../words/Languages.tsx"
import { useNumbers } from "../../words/numbers.ts"
import { useWords } from "../../words/words.ts"
import type { Sizing } from "./asks.ts"
import { NumberInput, useFault } from "./fields.tsx"
import styles from "./Journal.module.css"
import { SideBadge } from "./PositionsView.tsx"
import { riskWords } from "./riskWords.ts"
import { emptySizing, type SizingArguments, sizingFields, sizingOf, type TypedSizing } from "./typedNumbers.ts"
import type { TypedPosition } from "./typedPosition.ts"

const Reckoned = ({ of: told }: { readonly of: Sizing }) => {
  const says = useWords(riskWords)
  const { figure } = useNumbers()
  const { amount, percent } = useFormats()
  const { liquidation_distance_pct: distance, liquidation_price: liquidation, margin_usd, quantity } = told
  return (
    <>
      <dl className={styles["results"]} aria-live="polite">
        <div>
          <dt>{says.size}</dt>
          <dd className={styles["named"]}>
            {amount(told.size_usd)} <SideBadge side={told.side} />
          </dd>
        </div>
        <div>
          <dt>{says.quantity}</dt>
          <dd>{figure(quantity)}</dd>
        </div>
        <div>
          <dt>{says.costs}</dt>
          <dd>
            {amount(told.risk_usd)} <span className={styles["soft"]}>{percent(told.risk_pct)}</span>
          </dd>
        </div>
        <div>
          <dt>{says.distance}</dt>
          <dd>{percent(told.stop_distance_pct)}</dd>
        </div>
        {margin_usd !== null && (
          <div>
            <dt>{says.margin}</dt>
            <dd>{amount(margin_usd)}</dd>
          </div>
        )}
        {liquidation !== null && (
          <div>
            <dt>{says.liquidation}</dt>
            <dd>
              {figure(liquidation)} {distance !== null && <span className={styles["soft"]}>{percent(distance)}</span>}
            </dd>
          </div>
        )}
        {told.r_multiples.map(({ r, target }) => (
          <div key={target}>
            <dt>{says.target(figure(target))}</dt>
            <dd>
              <InR r={r} />
            </dd>
          </div>
        ))}
      </dl>
      {told.warnings.length > 0 && (
        <ul className={styles["warnings"]}>{told.warnings.map((warning) => <li key={warning}>{warning}</li>)}</ul>
      )}
    </>
  )
}

/** The initial values of a position from a computed size. */
const beginOf = (typed: TypedSizing, { side, size_usd }: Sizing): Partial<TypedPosition> => ({
  side,
  size_usd: String(size_usd),
  entry: typed.entry,
  stop: typed.stop,
  leverage: typed.leverage,
  takes: typed.targets
})

const Fields = ({ change, faults, refused, typed }: {
  readonly typed: TypedSizing
  readonly change: (part: Partial<TypedSizing>) => void
  readonly faults: ReturnType<typeof sizingOf>["faults"]
  readonly refused: Refused
}) => {
  const says = useWords(riskWords)
  const faultOf = useFault()
  const fields = {
    entry: { label: says.entry, type: "USD", isRequired: true },
    // An issue with the combination of stop and entry has an empty path.
    stop: { label: says.stop, type: "USD", isRequired: true, refused: refused["stop"] ?? refused[""] },
    account_usd: { label: says.account, type: "USD", hint: says.fromProfile },
    risk_pct: { label: says.riskOf, type: says.ofAccount, hint: says.orOne },
    leverage: { label: says.leverage, type: says.times },
    targets: { label: says.targets, type: "USD", hint: says.targetsHint }
  }
  return (
    <div className={forms["pair"]}>
      {([...sizingFields, "targets"] as const).map((name) => {
        const field: {
          label: string
          type: string
          isRequired?: boolean
          hint?: string
          refused?: string | undefined
        } = fields[name]
        return (
          <NumberInput
            key={name}
            label={field.label}
            type={field.type}
            hint={field.hint}
            isRequired={field.isRequired}
            value={typed[name]}
            onChange={(text) => change({ [name]: text })}
            fault={faultOf(faults[name], field.refused ?? refused[name])}
          />
        )
      })}
    </div>
  )
}

/** Computes the size with which the stop costs a given share of the account. */
export const SizingPanel = ({ record }: {
  readonly record: ((begin: Partial<TypedPosition>) => void) | undefined
}) => {
  const says = useWords(riskWords)
  const { language } = useLanguage()
  const priced = usePriced()
  const [typed, setTyped] = useState(emptySizing)
  const [isTried, setIsTried] = useState(false)
  const [told, setTold] = useState<Sizing>()
  const reckoning = useWrite(
    "get_risk_sizing",
    (client, args: SizingArguments, options) => client.tools.get_risk_sizing(args, options),
    (sizing: Sizing) => setTold(sizing)
  )
  const { args, faults } = sizingOf(typed, language)
  const submit = (event: SubmitEvent) => {
    event.preventDefault()
    setIsTried(true)
    if (args !== undefined) reckoning.run(args)
  }
  const { isRunning, refused, trouble } = reckoning
  return (
    <Panel title={says.sizing}>
      <form className={forms["form"]} onSubmit={submit} noValidate>
        <p className={styles["soft"]}>{says.sizingMore}</p>
        <Fields
          typed={typed}
          change={(part) => {
            setTyped({ ...typed, ...part })
            setTold(undefined)
            reckoning.forget()
          }}
          faults={isTried ? faults : {}}
          refused={refused}
        />
        {trouble !== undefined && Object.keys(refused).length === 0 && <TroubleNote trouble={trouble} />}
        {told !== undefined && <Reckoned of={told} />}
        <div className={styles["filters"]}>
          <Button type="submit" isBusy={isRunning}>{priced(says.reckon, "get_risk_sizing")}</Button>
          {told !== undefined && record !== undefined && (
            <Button onPress={() => record(beginOf(typed, told))}>{says.recordIt}</Button>
          )}
        </div>
      </form>
    </Panel>
  )
}
