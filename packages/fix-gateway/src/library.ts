// The library's dependency injection asks for this when it is loaded, hence everything imports it through here.
import 'reflect-metadata';

export type {
  FixDefinitions,
  IFixMsgStoreRecord,
  IFixSessionStore,
  IFixSessionStoreFactory,
  ILooseObject,
  ISessionDescription,
  MsgView,
} from 'jspurefix';
export {
  AsciiSession,
  AsciiSessionMsgFactory,
  DefinitionFactory,
  EmptyLogFactory,
  JsFixConfig,
  MemorySessionStore,
  MsgTransport,
  MsgType,
  SessionContainer,
  SessionId,
  SessionState,
  TcpDuplex,
} from 'jspurefix';
