import type { Meant, Refused } from "../../asking/useWrite.ts"
import { Chips } from "../../widgets/Chips.tsx"
import { Choice, TextInput, TimeInput, Toggle } from "../../widgets/fields.tsx"
import forms from "../../widgets/forms.module.css"
import { MeantRow } from "../../widgets/MeantRow.tsx"
import { useWords } from "../../words/words.ts"
import { taskFormWords } from "./formWords.ts"
import {
  type Fault,
  type Faults,
  hasMarket,
  markets,
  metrics,
  offsetName,
  offsets,
  ops,
  type TypedTask,
  units
} from "./typedTask.ts"

export interface SpecProps {
  readonly typed: TypedTask
  readonly change: (part: Partial<TypedTask>) => void
  readonly faults: Faults
  readonly refused: Refused
}

/** Returns the message for a fault of a field; without a fault, the service's own message. */
export const useTaskFault = (): (fault: Fault | undefined, refused?: string) => string | undefined => {
  const says = useWords(taskFormWords)
  const told: Readonly<Record<Fault, string>> = {
    missing: says.missing,
    "no number": says.noNumber,
    "no whole number": says.noWhole
  }
  return (fault, refused) => fault === undefined ? refused : told[fault]
}

const Level = ({ change, faults, refused, typed }: SpecProps) => {
  const says = useWords(taskFormWords)
  const faultOf = useTaskFault()
  const { dir, metric, op, value } = typed
  if (metric === "vwap_cross") {
    return (
      <div className={forms["group"]}>
        <span className={forms["label"]}>{says.dir}</span>
        <Chips
          label={says.dir}
          chosen={dir}
          onChange={(dir) => change({ dir })}
          options={[{ value: "above", label: says.above }, { value: "below", label: says.below }]}
        />
      </div>
    )
  }
  return (
    <div className={forms["pair"]}>
      {metric !== "gap" && (
        <Choice
          label={says.op}
          value={op}
          onChange={(chosen) => change({ op: ops.find((one) => one === chosen) ?? op })}
          options={ops.map((value) => ({ value, label: says[value] }))}
        />
      )}
      <TextInput
        label={says.value}
        type={{ price: says.valuePrice, score: says.valueScore, gap: says.valueGap }[metric]}
        value={value}
        onChange={(value) => change({ value })}
        // An issue of a condition as a whole usually concerns its level.
        fault={faultOf(faults.value, refused["spec.value"] ?? refused["spec"])}
        keyboard="decimal"
        isRequired
      />
    </div>
  )
}

/** The fields of a condition: the metric, the instrument and the level. */
export const ConditionFields = (
  props: SpecProps & { readonly meant: ReadonlyArray<Meant>; readonly unknown: string | undefined }
) => {
  const says = useWords(taskFormWords)
  const faultOf = useTaskFault()
  const { change, faults, meant, refused, typed, unknown } = props
  const names = {
    price: says.metricPrice,
    score: says.metricScore,
    vwap_cross: says.metricVwap,
    gap: says.metricGap
  }
  const isEvery = typed.metric === "gap" && typed.isEvery
  const onlyCoins = typed.metric === "score" || typed.metric === "vwap_cross"
  const symbolRefused = refused["spec.symbol"] ?? unknown ??
    (typed.metric === "vwap_cross" ? refused["spec"] : undefined)
  return (
    <>
      <Choice
        label={says.metric}
        value={typed.metric}
        onChange={(chosen) => change({ metric: metrics.find((one) => one === chosen) ?? typed.metric })}
        options={metrics.map((value) => ({ value, label: names[value] }))}
      />
      {typed.metric === "gap" && (
        <Toggle isOn={typed.isEvery} onChange={(isEvery) => change({ isEvery })}>{says.every}</Toggle>
      )}
      {!isEvery && (
        <div className={forms["pair"]}>
          <TextInput
            label={says.symbol}
            hint={onlyCoins ? says.symbolCoin : says.symbolHint}
            value={typed.symbol}
            onChange={(symbol) => change({ symbol })}
            fault={faultOf(faults.symbol, symbolRefused)}
            isRequired
          />
          {hasMarket(typed) && (
            <Choice
              label={says.market}
              value={typed.market}
              onChange={(chosen) => change({ market: markets.find((one) => one === chosen) ?? typed.market })}
              options={markets.map((value) => ({ value, label: says[value] }))}
            />
          )}
        </div>
      )}
      <MeantRow meant={meant} onTake={(symbol) => change({ symbol })} />
      <Level {...props} />
    </>
  )
}

/** The fields of times: a time of day, or an interval. */
export const TimesFields = ({ change, faults, refused, typed }: SpecProps) => {
  const says = useWords(taskFormWords)
  const faultOf = useTaskFault()
  return (
    <>
      <div className={forms["group"]}>
        <span className={forms["label"]}>{says.times}</span>
        <Chips
          label={says.times}
          chosen={typed.times}
          onChange={(times) => change({ times })}
          options={[{ value: "daily", label: says.daily }, { value: "interval", label: says.interval }]}
        />
      </div>
      {typed.times === "daily"
        ? (
          <div className={forms["pair"]}>
            <TimeInput
              label={says.at}
              value={typed.at}
              onChange={(at) => change({ at })}
              fault={faultOf(faults.at, refused["spec.at"] ?? refused["spec"])}
              isRequired
            />
            <Choice
              label={says.offset}
              hint={says.offsetHint}
              value={typed.offset}
              onChange={(offset) => change({ offset })}
              fault={refused["spec.tz_offset_hours"]}
              options={offsets(Number(typed.offset)).map((hours) => ({
                value: String(hours),
                label: offsetName(hours)
              }))}
            />
          </div>
        )
        : (
          <div className={forms["pair"]}>
            <TextInput
              label={says.everyCount}
              value={typed.every}
              onChange={(every) => change({ every })}
              fault={faultOf(faults.every, refused["spec.every_min"] ?? refused["spec"])}
              keyboard="numeric"
              isRequired
            />
            <Choice
              label={says.unit}
              value={typed.unit}
              onChange={(chosen) => change({ unit: units.find((one) => one === chosen) ?? typed.unit })}
              options={units.map((value) => ({ value, label: says[value] }))}
            />
          </div>
        )}
    </>
  )
}
