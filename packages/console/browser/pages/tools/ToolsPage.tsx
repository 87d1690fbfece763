import { SearchX, Wrench } from "lucide-react"
import { useMemo } from "react"
import { useLanguage } from "../../i18n/LanguageProvider.tsx"
import { useTexts } from "../../i18n/texts.ts"
import { useCatalogue } from "../../requests/catalogue.ts"
import { setQuery, useLocation } from "../../router/location.ts"
import { fillPath } from "../../router/route.ts"
import { Button } from "../../widgets/Button.tsx"
import { Chips } from "../../widgets/Chips.tsx"
import { type DataColumn, DataTable, numberColumn } from "../../widgets/DataTable.tsx"
import { SearchInput } from "../../widgets/fields.tsx"
import { PageHeader, Panel } from "../../widgets/layout.tsx"
import { RequestView } from "../../widgets/RequestView.tsx"
import { EmptyState, Skeleton } from "../../widgets/states.tsx"
import { areaNames } from "./areaNames.ts"
import { findTools, type Tool } from "./findTools.ts"
import { toolsTexts } from "./texts.ts"
import styles from "./ToolsPage.module.css"

const toolHref = ({ name }: Tool): string => fillPath("/tools/:name", { name })
const idOf = ({ name }: Tool): string => name

const useColumns = (): ReadonlyArray<DataColumn<Tool>> => {
  const texts = useTexts(toolsTexts)
  const { language } = useLanguage()
  return useMemo(() => [
    {
      id: "name",
      title: texts.name,
      isHead: true,
      order: ({ name }) => name,
      cell: ({ name, summary }) => (
        <>
          <code className={styles["name"]}>{name}</code>
          <span className="narrow-only soft" lang="en">{summary}</span>
        </>
      )
    },
    { id: "summary", title: texts.summary, isMinor: true, cell: ({ summary }) => <span lang="en">{summary}</span> },
    {
      id: "area",
      title: texts.area,
      isMinor: true,
      order: ({ area }) => areaNames[area][language],
      cell: ({ area }) => <span className="soft nowrap">{areaNames[area][language]}</span>
    },
    {
      id: "scope",
      title: texts.scope,
      isMinor: true,
      order: ({ scope }) => scope ?? "",
      cell: ({ scope }) => <code className="soft nowrap">{scope}</code>
    },
    numberColumn("credits", texts.credits, ({ credits }) => credits, String)
  ], [texts, language])
}

const ToolCatalogue = ({ tools }: { readonly tools: ReadonlyArray<Tool> }) => {
  const texts = useTexts(toolsTexts)
  const { language } = useLanguage()
  const { query } = useLocation()
  const columns = useColumns()
  const [text, area] = [query.get("search") ?? "", query.get("area") ?? undefined]
  const matches = useMemo(() => findTools(tools, { text, area }), [tools, text, area])
  const areas = useMemo(() => [...new Set(tools.map(({ area }) => area))], [tools])
  if (tools.length === 0) return <EmptyState icon={Wrench} title={texts.empty}>{texts.emptyDetail}</EmptyState>
  return (
    <>
      <div className="row wrap gap-2 gap-x-4">
        <div className={styles["search"]}>
          <SearchInput label={texts.search} value={text} onChange={(search) => setQuery({ search })} />
        </div>
        <Chips
          label={texts.area}
          selected={area ?? "all"}
          onChange={(nextArea) => setQuery({ area: nextArea === "all" ? undefined : nextArea })}
          options={[
            { value: "all", label: texts.all },
            ...areas.map((value) => ({ value, label: areaNames[value][language] }))
          ]}
        />
      </div>
      <Panel isFlush>
        {matches.length === 0
          ? (
            <EmptyState
              icon={SearchX}
              title={texts.none}
              action={<Button onPress={() => setQuery({ search: undefined, area: undefined })}>{texts.clear}</Button>}
            >
              {texts.noneDetail}
            </EmptyState>
          )
          : <DataTable label={texts.title} rows={matches} columns={columns} rowId={idOf} href={toolHref} />}
      </Panel>
      <p className="soft small" role="status">{texts.found(matches.length)}</p>
    </>
  )
}

export const ToolsPage = () => {
  const texts = useTexts(toolsTexts)
  const catalogue = useCatalogue()
  return (
    <>
      <PageHeader title={texts.title}>{texts.lead}</PageHeader>
      <RequestView request={catalogue} placeholder={<Skeleton lines={12} />}>
        {({ tools }) => <ToolCatalogue tools={tools} />}
      </RequestView>
    </>
  )
}
