// SPDX-License-Identifier: Apache-2.0

package main

import (
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"encoding/hex"
	"encoding/pem"
	"errors"
	"fmt"
	"net"
	"net/url"
	"os"
	"path/filepath"
	"time"

	"go.etcd.io/etcd/server/v3/embed"
	"k8s.io/component-base/cli"
	"k8s.io/kubernetes/cmd/kube-apiserver/app"
)

const storeLimit = 60 * time.Second

// serve runs the store and the API server in folder, until it is ended by a signal.
func serve(folder string) error {
	store, err := startStore(folder)
	if err != nil {
		return err
	}
	defer store.Close()
	port, err := freePort()
	if err != nil {
		return err
	}
	token := make([]byte, 16)
	if _, err := rand.Read(token); err != nil {
		return err
	}
	tokens := filepath.Join(folder, "tokens.csv")
	line := hex.EncodeToString(token) + ",prover,1,system:masters\n"
	if err := os.WriteFile(tokens, []byte(line), 0o600); err != nil {
		return err
	}
	key := filepath.Join(folder, "service-account.key")
	if err := writeKey(key); err != nil {
		return err
	}
	if err := writeKubeconfig(folder, port, hex.EncodeToString(token)); err != nil {
		return err
	}
	command := app.NewAPIServerCommand()
	command.SetArgs([]string{
		"--etcd-servers=http://" + store.Clients[0].Addr().String(),
		"--bind-address=127.0.0.1",
		fmt.Sprintf("--secure-port=%d", port),
		"--cert-dir=" + filepath.Join(folder, "certificates"),
		"--service-cluster-ip-range=10.0.0.0/24",
		"--authorization-mode=Node,RBAC",
		"--token-auth-file=" + tokens,
		"--service-account-issuer=https://kubernetes.default.svc",
		"--service-account-key-file=" + key,
		"--service-account-signing-key-file=" + key,
		"--endpoint-reconciler-type=none",
		"--v=0",
	})
	if code := cli.Run(command); code != 0 {
		return fmt.Errorf("kube-apiserver ended with %d", code)
	}
	return nil
}

func startStore(folder string) (*embed.Etcd, error) {
	config := embed.NewConfig()
	config.Dir = filepath.Join(folder, "etcd")
	config.LogLevel = "error"
	// It is thrown away: nothing need survive a power cut.
	config.UnsafeNoFsync = true
	clients, err := freeURL()
	if err != nil {
		return nil, err
	}
	peers, err := freeURL()
	if err != nil {
		return nil, err
	}
	config.ListenClientUrls, config.AdvertiseClientUrls = clients, clients
	config.ListenPeerUrls, config.AdvertisePeerUrls = peers, peers
	config.InitialCluster = config.InitialClusterFromName(config.Name)
	store, err := embed.StartEtcd(config)
	if err != nil {
		return nil, fmt.Errorf("start etcd: %w", err)
	}
	select {
	case <-store.Server.ReadyNotify():
		return store, nil
	case err := <-store.Err():
		return nil, fmt.Errorf("run etcd: %w", err)
	case <-time.After(storeLimit):
		store.Close()
		return nil, errors.New("start etcd: not ready within a minute")
	}
}

func freeURL() ([]url.URL, error) {
	port, err := freePort()
	if err != nil {
		return nil, err
	}
	return []url.URL{{Scheme: "http", Host: fmt.Sprintf("127.0.0.1:%d", port)}}, nil
}

func freePort() (int, error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return 0, err
	}
	defer listener.Close()
	return listener.Addr().(*net.TCPAddr).Port, nil
}

func writeKey(path string) error {
	key, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		return err
	}
	block := pem.Block{Type: "RSA PRIVATE KEY", Bytes: x509.MarshalPKCS1PrivateKey(key)}
	return os.WriteFile(path, pem.EncodeToMemory(&block), 0o600)
}

// The server makes its own certificate at its start: nobody else can listen on this loopback port meanwhile.
func writeKubeconfig(folder string, port int, token string) error {
	text := fmt.Sprintf(`apiVersion: v1
kind: Config
clusters:
- name: proof
  cluster: {server: "https://127.0.0.1:%d", insecure-skip-tls-verify: true}
users:
- name: prover
  user: {token: %s}
contexts:
- name: proof
  context: {cluster: proof, user: prover}
current-context: proof
`, port, token)
	return os.WriteFile(filepath.Join(folder, "kubeconfig"), []byte(text), 0o600)
}
