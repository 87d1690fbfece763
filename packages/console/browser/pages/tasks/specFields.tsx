import { useTexts } from "../../i18n/texts.ts"
import type { ArgumentIssues, Candidate } from "../../requests/useWrite.ts"
import { CandidateRow } from "../../widgets/CandidateRow.tsx"
import { Chips } from "../../widgets/Chips.tsx"
import { SelectInput, TextInput, TimeInput, Toggle } from "../../widgets/fields.tsx"
import forms from "../../widgets/forms.module.css"
import { taskFormTexts } from "./formTexts.ts"
import {
  allOffsets,
  type Fault,
  type Faults,
  formatOffset,
  hasMarket,
  markets,
  metrics,
  ops,
  type TaskDraft,
  units
} from "./taskDraft.ts"

export interface SpecFieldsProps {
  readonly draft: TaskDraft
  readonly change: (changes: Partial<TaskDraft>) => void
  readonly faults: Faults
  readonly issues: ArgumentIssues
}

/**
 * Returns a function that formats the error of a form field. If a field has no error, the function returns the
 * service's message for the field.
 */
export const useTaskFaultText = (): (fault: Fault | undefined, refused?: string) => string | undefined => {
  const texts = useTexts(taskFormTexts)
  const faultTexts: Readonly<Record<Fault, string>> = {
    missing: texts.missing,
    "no number": texts.noNumber,
    "no whole number": texts.noWhole
  }
  return (fault, refused) => fault === undefined ? refused : faultTexts[fault]
}

const LevelField = ({ change, faults, issues, draft }: SpecFieldsProps) => {
  const texts = useTexts(taskFormTexts)
  const faultText = useTaskFaultText()
  const { dir, metric, op, value } = draft
  if (metric === "vwap_cross") {
    return (
      <div className="column gap-1">
        <span className="medium">{texts.dir}</span>
        <Chips
          label={texts.dir}
          selected={dir}
          onChange={(dir) => change({ dir })}
          options={[{ value: "above", label: texts.above }, { value: "below", label: texts.below }]}
        />
      </div>
    )
  }
  return (
    <div className={forms["pair"]}>
      {metric !== "gap" && (
        <SelectInput
          label={texts.op}
          value={op}
          onChange={(chosen) => change({ op: ops.find((one) => one === chosen) ?? op })}
          options={ops.map((value) => ({ value, label: texts[value] }))}
        />
      )}
      <TextInput
        label={texts.value}
        type={{ price: texts.valuePrice, score: texts.valueScore, gap: texts.valueGap }[metric]}
        value={value}
        onChange={(value) => change({ value })}
        // The service's message about the whole condition appears at the level field, because the level usually causes
        // the issue.
        fault={faultText(faults.value, issues["spec.value"] ?? issues["spec"])}
        keyboard="decimal"
        isRequired
      />
    </div>
  )
}

/** The form fields of a watch condition: the metric, the instrument and the level. */
export const ConditionFields = (
  props: SpecFieldsProps & { readonly candidates: ReadonlyArray<Candidate>; readonly unknownSymbol: string | undefined }
) => {
  const texts = useTexts(taskFormTexts)
  const faultText = useTaskFaultText()
  const { change, faults, candidates, issues, draft, unknownSymbol } = props
  const names = {
    price: texts.metricPrice,
    score: texts.metricScore,
    vwap_cross: texts.metricVwap,
    gap: texts.metricGap
  }
  const isEvery = draft.metric === "gap" && draft.isEvery
  const onlyCoins = draft.metric === "score" || draft.metric === "vwap_cross"
  const symbolIssue = issues["spec.symbol"] ?? unknownSymbol ??
    (draft.metric === "vwap_cross" ? issues["spec"] : undefined)
  return (
    <>
      <SelectInput
        label={texts.metric}
        value={draft.metric}
        onChange={(chosen) => change({ metric: metrics.find((one) => one === chosen) ?? draft.metric })}
        options={metrics.map((value) => ({ value, label: names[value] }))}
      />
      {draft.metric === "gap" && (
        <Toggle isOn={draft.isEvery} onChange={(isEvery) => change({ isEvery })}>{texts.every}</Toggle>
      )}
      {!isEvery && (
        <div className={forms["pair"]}>
          <TextInput
            label={texts.symbol}
            hint={onlyCoins ? texts.symbolCoin : texts.symbolHint}
            value={draft.symbol}
            onChange={(symbol) => change({ symbol })}
            fault={faultText(faults.symbol, symbolIssue)}
            isRequired
          />
          {hasMarket(draft) && (
            <SelectInput
              label={texts.market}
              value={draft.market}
              onChange={(chosen) => change({ market: markets.find((one) => one === chosen) ?? draft.market })}
              options={markets.map((value) => ({ value, label: texts[value] }))}
            />
          )}
        </div>
      )}
      <CandidateRow candidates={candidates} onSelect={(symbol) => change({ symbol })} />
      <LevelField {...props} />
    </>
  )
}

/** The form fields of a schedule: a time of day, or an interval. */
export const ScheduleFields = ({ change, faults, issues, draft }: SpecFieldsProps) => {
  const texts = useTexts(taskFormTexts)
  const faultText = useTaskFaultText()
  return (
    <>
      <div className="column gap-1">
        <span className="medium">{texts.times}</span>
        <Chips
          label={texts.times}
          selected={draft.times}
          onChange={(times) => change({ times })}
          options={[{ value: "daily", label: texts.daily }, { value: "interval", label: texts.interval }]}
        />
      </div>
      {draft.times === "daily"
        ? (
          <div className={forms["pair"]}>
            <TimeInput
              label={texts.at}
              value={draft.at}
              onChange={(at) => change({ at })}
              fault={faultText(faults.at, issues["spec.at"] ?? issues["spec"])}
              isRequired
            />
            <SelectInput
              label={texts.offset}
              hint={texts.offsetHint}
              value={draft.offset}
              onChange={(offset) => change({ offset })}
              fault={issues["spec.tz_offset_hours"]}
              options={allOffsets(Number(draft.offset)).map((hours) => ({
                value: String(hours),
                label: formatOffset(hours)
              }))}
            />
          </div>
        )
        : (
          <div className={forms["pair"]}>
            <TextInput
              label={texts.everyCount}
              value={draft.every}
              onChange={(every) => change({ every })}
              fault={faultText(faults.every, issues["spec.every_min"] ?? issues["spec"])}
              keyboard="numeric"
              isRequired
            />
            <SelectInput
              label={texts.unit}
              value={draft.unit}
              onChange={(chosen) => change({ unit: units.find((one) => one === chosen) ?? draft.unit })}
              options={units.map((value) => ({ value, label: texts[value] }))}
            />
          </div>
        )}
    </>
  )
}
