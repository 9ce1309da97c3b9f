export function OverviewPage() {
  return <h1>Connectors</h1>;
}
