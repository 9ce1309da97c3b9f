/** As many rows as a window shows. */
const ROWS = 8;

/** Has the places of charts and rows while they are on their way, so that nothing moves when they come. */
export function OverviewSkeleton({ hasCharts }: { readonly hasCharts: boolean }) {
  return (
    <div role="status" aria-label="Loading the connectors">
      {hasCharts && <div className="skeleton skeleton-charts" />}
      {Array.from({ length: ROWS }, (_, index) => (
        <div key={index} className="skeleton skeleton-row" />
      ))}
    </div>
  );
}
