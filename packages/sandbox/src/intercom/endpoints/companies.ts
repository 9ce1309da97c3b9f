import type { Endpoint, EndpointAnswer, EndpointCall } from '../endpoint.ts';
import { IntercomError, parameterInvalid } from '../intercom-error.ts';
import { listByNumber } from '../listing.ts';
import type { ListShape } from '../paging.ts';
import { pageParameter, perPageParameter, textParameter } from '../parameters.ts';
import type { Parameters } from '../parameters.ts';
import type { IntercomCompany } from '../seeded-companies.ts';

const COMPANY_LIST: ListShape = { type: 'list', records: 'data', nextAtEnd: 'null' };
const DEFAULT_PER_PAGE = 15;
/** Lists give no more records than this; only a scroll reads all of them. */
const MAX_LISTED = 10_000;
const SCROLL_PAGE = 100;
/** What companies are filtered by. */
const GROUPS: ReadonlySet<string> = new Set(['tag_id', 'segment_id']);

/**
 * Looks companies up by name, company id, tag or segment, or lists them; it takes no `order`.
 *
 * @see https://developers.intercom.com/docs/references/2.11/rest-api/api.intercom.io/companies/retrievecompany
 */
export const retrieveCompanies: Endpoint = {
  verb: 'GET',
  path: '/companies',
  pages: true,
  run: (call) => {
    const { order: _, ...parameters } = call.parameters;
    const name = textParameter(parameters, 'name');
    const companyId = textParameter(parameters, 'company_id');
    if (name !== undefined) return oneCompany(call, (company) => company.name === name);
    if (companyId !== undefined) {
      return oneCompany(call, (company) => company.company_id === companyId);
    }
    const belongs = groupFilter(parameters);
    return belongs === undefined
      ? listCompanyPage({ ...call, parameters }, '/companies')
      : filteredCompanies({ ...call, parameters }, belongs);
  },
};

/**
 * Lists companies in pages with a number; like `GET /companies`, it takes no `starting_after`.
 *
 * @see https://developers.intercom.com/docs/references/2.11/rest-api/api.intercom.io/companies/listallcompanies
 */
export const listCompanies: Endpoint = {
  verb: 'POST',
  path: '/companies/list',
  pages: true,
  run: (call) => listCompanyPage(call, '/companies/list'),
};

/** @see https://developers.intercom.com/docs/references/2.11/rest-api/api.intercom.io/companies/scrolloverallcompanies */
export const scrollCompanies: Endpoint = {
  verb: 'GET',
  path: '/companies/scroll',
  pages: false,
  run: ({ workspace, parameters }) => {
    const { companies, companyScroll } = workspace;
    const { start, parameter } = companyScroll.enter(textParameter(parameters, 'scroll_param'));
    const { positions } = companies.page(start, SCROLL_PAGE, 'newer');
    const last = positions.at(-1);
    if (last === undefined) companyScroll.end();
    else companyScroll.moveTo(last + 1, parameter);
    return {
      body: {
        type: 'list',
        data: positions.map((position) => companies.at(position)),
        pages: null,
        total_count: null,
        scroll_param: last === undefined ? null : parameter,
      },
    };
  },
};

/** @see https://developers.intercom.com/docs/references/2.11/rest-api/api.intercom.io/companies/retrieveacompanybyid */
export const showCompany: Endpoint = {
  verb: 'GET',
  path: '/companies/{id}',
  pages: false,
  run: ({ workspace, id }) => {
    const company = workspace.companies.find(id);
    if (company === undefined) throw companyNotFound();
    return { body: company };
  },
};

function listCompanyPage(call: EndpointCall, path: string): EndpointAnswer {
  const { parameters } = call;
  const { companies } = call.workspace;
  const order = textParameter(parameters, 'order') ?? 'desc';
  if (order !== 'asc' && order !== 'desc') throw parameterInvalid('order must be asc or desc');
  const skipped = (pageParameter(parameters) - 1) * perPageParameter(parameters, DEFAULT_PER_PAGE);
  if (skipped >= MAX_LISTED) {
    throw new IntercomError(400, 'bad_request', 'page limit reached, please use scroll API');
  }
  const asked = Object.entries(parameters).filter(([name]) => name === 'order');
  return listByNumber(
    call,
    {
      collection: companies,
      shape: COMPANY_LIST,
      defaultPerPage: DEFAULT_PER_PAGE,
      towards: order === 'desc' ? 'older' : 'newer',
    },
    (page, perPage) => pageAddress(call, path, [...asked, ['per_page', perPage], ['page', page]]),
  );
}

/** Intercom leads from one numbered page to the next by its whole address. */
function pageAddress(
  { url }: EndpointCall,
  path: string,
  query: readonly (readonly [string, unknown])[],
): string {
  const texts = query.map(([name, value]): [string, string] => [name, String(value)]);
  return `${url}${path}?${new URLSearchParams(texts).toString()}`;
}

function groupFilter(parameters: Parameters): ((company: IntercomCompany) => boolean) | undefined {
  const tagId = textParameter(parameters, 'tag_id');
  const segmentId = textParameter(parameters, 'segment_id');
  if (tagId !== undefined) return ({ tags }) => tags.tags.some(({ id }) => id === tagId);
  if (segmentId === undefined) return undefined;
  return ({ segments }) => segments.segments.some(({ id }) => id === segmentId);
}

function filteredCompanies(
  call: EndpointCall,
  belongs: (company: IntercomCompany) => boolean,
): EndpointAnswer {
  const page = pageParameter(call.parameters);
  const perPage = perPageParameter(call.parameters, DEFAULT_PER_PAGE);
  const found = [...everyCompany(call)].filter(belongs);
  const data = found.slice((page - 1) * perPage, page * perPage);
  const pages = {
    type: 'pages',
    next:
      page * perPage < found.length
        ? pageAddress(call, '/companies', [
            ...Object.entries(call.parameters).filter(([name]) => GROUPS.has(name)),
            ['per_page', perPage],
            ['page', page + 1],
          ])
        : null,
    page,
    per_page: perPage,
    total_pages: Math.ceil(found.length / perPage),
  };
  return { body: { type: 'list', data, pages, total_count: found.length } };
}

function oneCompany(
  call: EndpointCall,
  isWanted: (company: IntercomCompany) => boolean,
): EndpointAnswer {
  for (const company of everyCompany(call)) if (isWanted(company)) return { body: company };
  throw companyNotFound();
}

function* everyCompany({ workspace }: EndpointCall): Generator<IntercomCompany> {
  const { companies } = workspace;
  for (let position = companies.end - 1; position >= 0; position -= 1) {
    if (companies.has(position)) yield companies.at(position);
  }
}

function companyNotFound(): IntercomError {
  return new IntercomError(404, 'company_not_found', 'Company Not Found');
}
